# Stretch of the first segment of a rope at rest against substeps a frame: points are measured, the line is what one
# sweep of projections must leave, 15 h^2 g/l. The largest stretch in motion stands beside it. Data: rows; columns
# substeps, strain_first, strain_max, status.
eval page(8.8, 7.0)
set title heading noenhanced
set logscale xy
set xlabel 'substeps per frame of 1 s'
set ylabel 'stretch, length/rest length - 1'
set format y '10^{%T}'
set xtics (1, 4, 16, 64, 256, 1024) nomirror
unset mxtics
stats data using (column('substeps')) name 'S' nooutput
if (!exists('S_min')) S_min = 1
if (!exists('S_max')) S_max = 4
set xrange [S_min / 1.6 : S_max * 1.6]
segment = 400.0 / 15
set bmargin 6.6
set key at screen 0.5, screen 0.015 bottom center Left reverse enhanced maxrows 3 samplen 2.6
plot 15.0 / segment / x**2 with lines lt 1 title 'theory, 15 h^2 g/l', \
     data using 'substeps':(only(is('status', 'ok'), column('strain_first'))) with points lt 1 pt 7 ps 0.9 \
       title 'first segment at rest', \
     data using 'substeps':(only(is('status', 'ok'), column('strain_max'))) with points lt 2 pt 8 ps 0.9 \
       title 'largest of any segment in motion', \
     for [name in 'strain_first strain_max'] @values data using 'substeps':(only(is('status', 'ok'), column(name))): \
       (says(name eq 'strain_max' ? 'largest in motion' : 'first segment at rest', '%g substeps: stretch %g', \
       column('substeps'), column(name))) @told
