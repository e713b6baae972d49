# Sideways momentum of a cloth that swings down from two corners, nothing pushing it sideways: a panel for every number
# of cells along an edge. Patterns that are their own mirror image show rounding that grows; the others swing sideways.
# Data: frames; columns springs, grid, time, momentum_x, status, last.
stats data using (note('grid')) nooutput
grids = found
panels = words(grids)
families = 'triangulated alternating crossed structural'
color(i) = word('#d55e00 #0072b2 #009e73 #000000', i)
set dashtype 11 (40, 0.01)
set dashtype 12 (10, 4)
set dashtype 13 (4, 2)
set dashtype 14 (1, 2)

eval page(18, 8.6)
set multiplot layout 1, panels title heading noenhanced margins char 10, char 2, char 7, char heading eq '' ? 1.8 : 3.2 \
    spacing char 2, char 2
set logscale y
set yrange [1e-18:1]
set ytics 1e-18, 1e3
unset mytics
set xlabel 'time (s)' offset 0, 0.4
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 1 Left reverse samplen 3 width 2
curve(f, g) = only(equals('grid', g + 0) && is('springs', f), abs(column('momentum_x')))
end(g) = only(equals('grid', g + 0) && !is('status', 'ok') && column('last') == 1, abs(column('momentum_x')))
do for [p = 1:panels] {
  grid = word(grids, p)
  set title sprintf('%s × %s cells', grid, grid) noenhanced offset 0, -0.6
  set ylabel p == 1 ? 'sideways momentum, |p_x| (kg m/s)' : '' offset 0.5, 0
  set format y p == 1 ? '10^{%T}' : ''
  plot for [i = 1:4] data using 'time':(curve(word(families, i), grid)) with lines lw 1.2 dt 10 + i lc rgb color(i) \
         notitle, \
       data using 'time':(end(grid)) with points pt 2 ps 0.8 lc rgb black notitle, \
       for [f in families] @values data using 'time':(curve(f, grid)):(says(f, 't = %g s: %g kg m/s', column('time'), \
         curve(f, grid))) @told, \
       for [i = 1:p == 1 ? 4 : 0] keyentry with lines lw 1.6 dt 10 + i lc rgb color(i) title word(families, i)
  unset key
}
unset multiplot
