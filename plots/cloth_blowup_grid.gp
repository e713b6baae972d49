# Which time steps hold a cloth of how many cells: status of every run, and the predicted limits of the time step at
# rest (2/ω_max of the start) and at any stretch (every spring as stiff as along itself).
# Data: rows; columns grid, h, status, limit_h, limit_h_any_stretch.
eval page(8.8, 7.8)
set title heading noenhanced
set logscale xy
set xlabel 'cells along an edge of the cloth'
set ylabel 'time step h (s)'
set format y '10^{%T}'
stats data using (column('grid')) name 'X' nooutput
set xrange [X_min / 1.5 : X_max * 1.5]
set yrange [0.5e-4 : 0.2]
set xtics (1, 2, 5, 10, 20, 40, 80, 160) nomirror
unset mxtics
# Of one value a line is a point, which wants a mark and a tick of its own.
alone = X_min == X_max
if (alone) set xtics (sprintf('%g', X_min) X_min)
set bmargin 6.6
set key at screen 0.5, screen 0.015 bottom center Left reverse enhanced maxrows 3 samplen 2 width -5

status(word) = only(is('status', word), column('h'))
other(name) = only(!is('status', 'ok') && !is('status', 'diverged'), column(name))
said(series, name) = says(series, '%g cells: h = %g s', column('grid'), column(name))
plot data using 'grid':'limit_h' smooth unique with lines lw 1.2 lc rgb black dt 1 title '2/ω_{max}, at rest', \
     data using 'grid':'limit_h_any_stretch' smooth unique with lines lw 1.2 lc rgb black dt (6, 4) \
       title '2/√λ_{max}, any stretch', \
     data using 'grid':(only(alone, column('limit_h'))) with points pt 1 ps 0.9 lc rgb black notitle, \
     data using 'grid':(only(alone, column('limit_h_any_stretch'))) with points pt 2 ps 0.9 lc rgb black notitle, \
     data using 'grid':(status('ok')) with points pt 5 ps 0.8 lc rgb sky title 'stable', \
     data using 'grid':(status('diverged')) with points pt 13 ps 0.9 lc rgb vermillion title 'diverged', \
     data using 'grid':(other('h')) with points pt 2 ps 0.7 lc rgb grey title 'failed or skipped', \
     @values data using 'grid':'limit_h':(said('limit at rest', 'limit_h')) @told, \
     @values data using 'grid':'limit_h_any_stretch':(said('limit at any stretch', 'limit_h_any_stretch')) @told, \
     @values data using 'grid':'h':(said(is('status', 'ok') ? 'stable' : plain(stringcolumn('status')), 'h')) @told
