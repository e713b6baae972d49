# Relative error of the minimisers against the iteration, a panel for every resolution; in grey, dashed, the curves that
# Liu et al. (2013, figure 2) give for 81 x 81 vertices.
# Newton's iterates do not depend on who solves its systems: such lines coincide, the later drawn narrower.
# Data: curves; columns grid, method, status, iteration, relative_error, last. Published: liu2013_curves.
stats data using (note('grid')) nooutput
grids = found
found = ''
stats data using (note('method')) nooutput
methods = found
# The legend names what is drawn: methods with a point beyond their start, and ends of cases that are not ok.
found = ''
stats data using (column('iteration') >= 1 ? note('method') : NaN) nooutput
shown = ''
do for [i = 1:words(methods)] { if (strstrt(' '.found, ' '.word(methods, i).' ') > 0) { shown = shown.i.' ' } }
found = ''
stats data using (column('iteration') >= 1 && column('last') == 1 && !is('status', 'ok') ? note('status') : NaN) nooutput
failed = words(found)
nth(k) = k > words(shown) ? 1 : word(shown, k) + 0
liu_grid = strstrt(' '.grids, ' 80 ')
panels = words(grids)
rows = panels > 2 ? 2 : 1

eval page(18, rows == 2 ? 14 : 9)
set multiplot layout rows, panels > 1 ? 2 : 1 title heading noenhanced \
    margins char 9, char 3, char 9.2, char heading eq '' ? 1.5 : 3 spacing char 8, char 4.8
set logscale xy
set xrange [1:1000]
set yrange [1e-10:2]
set format y '10^{%T}'
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 4 Left reverse samplen 3 width -2

liu(panel, wanted) = only(is('figure', panel) && is('curve', wanted) && column('x') >= 1, column('relative_error'))
names = 'local_global newton'
published(c) = 'Liu et al., '.(c eq 'local_global' ? 'local-global' : c eq 'newton_direct' ? 'Newton, direct' : \
  c eq 'newton_pcg' ? 'Newton, PCG' : 'Newton')
mark(name) = name eq 'newton' ? 8 : 6
width(i) = 2.6 - 0.3 * i
curve(g, m) = only(equals('grid', g + 0) && is('method', m), column('relative_error'))
end(g) = only(equals('grid', g + 0) && !is('status', 'ok') && column('last') == 1, column('relative_error'))
# Cases that left no curve (none at all, or only its start) are named beside the panel's title.
nothing(ignored) = is('iteration', '?') || (column('last') == 1 && column('iteration') < 1)
name(g) = equals('grid', g + 0) && nothing(0) ? (absent = absent.(absent eq '' ? '; no curve: ' : '; '). \
          plain(stringcolumn('method')), 0) : 0
do for [p = 1:panels] {
  grid = word(grids, p)
  absent = ''
  stats data using (name(grid)) nooutput
  set title sprintf('%d × %d vertices%s', grid + 1, grid + 1, absent) noenhanced offset 0, -0.6 \
      font absent eq '' ? '' : ',6.5'
  set xlabel 'iteration' offset 0, 0.4
  set ylabel p % 2 == 1 ? 'relative error' : ''
  plot for [i = 1:words(methods)] data using 'iteration':(curve(grid, word(methods, i))) \
         with lines lt i lw width(i) notitle, \
       data using 'iteration':(end(grid)) with points pt 2 ps 0.7 lw 1.5 lc rgb black notitle, \
       for [c in grid eq '80' ? names : ''] published_liu2013_curves using 'x':(liu('fig2_top', c)) \
         with linespoints lc rgb grey dt (6, 3) lw 1 pt mark(c) ps 0.5 notitle, \
       for [m in methods] @values data using 'iteration':(curve(grid, m)):(says(plain(m), 'iteration %g: error %g', \
         column('iteration'), curve(grid, m))) @told, \
       for [c in grid eq '80' ? names : ''] @values published_liu2013_curves using 'x':(liu('fig2_top', c)): \
         (says(published(c), 'iteration %g: error %g', column('x'), liu('fig2_top', c))) @told, \
       for [k = 1:p == 1 ? words(shown) : 0] keyentry with lines lt nth(k) lw width(nth(k)) \
         title plain(word(methods, nth(k))), \
       for [i = 1:p == 1 && failed ? 1 : 0] keyentry with points pt 2 ps 0.7 lw 1.5 lc rgb black title 'did not end ok', \
       for [c in p == 1 && liu_grid ? names : ''] keyentry with linespoints lc rgb grey dt (6, 3) lw 1 pt mark(c) ps 0.5 \
         title published(c)
  unset key
}
unset multiplot
