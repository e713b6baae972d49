# Mean relative error of local_global over 50 frames against the iteration, by resolution: lines are ours, a panel for
# each motion; open marks of the same colour the curves of Liu et al. (2013, figure 3, bottom), the same in both panels.
# Data: curves; columns method, grid, iteration, relative_error. Published: liu2013_curves.
stats data using (note('grid')) nooutput
grids = found
found = ''
stats data using (note('method')) nooutput
motions = found
panels = words(motions)

eval page(panels > 1 ? 18 : 8.8, 7.4)
set multiplot layout 1, panels title heading noenhanced margins char 9, char 3, char 7, \
    char heading eq '' ? 1.5 : 3.2 spacing char 7, char 4
set logscale y
set xrange [0:100]
set yrange [1e-5:1]
set xlabel 'iteration'
set format y '10^{%T}'
set key at screen 0.5, screen 0.015 bottom center noenhanced maxrows 2 Left reverse samplen 2.5 width -2

ours(m, g) = only(is('method', m) && equals('grid', g + 0), column('relative_error'))
liu(c) = only(is('figure', 'fig3_bottom') && is('curve', c), column('relative_error'))
name(g) = sprintf('%dx%d', g + 1, g + 1)
mark(i) = word('6 8 4 10 12 6 8 4', i) + 0
do for [p = 1:panels] {
  motion = word(motions, p)
  set title plain(motion) noenhanced offset 0, -0.6
  set ylabel p == 1 ? 'relative error, mean over frames' : ''
  plot for [i = 1:words(grids)] data using 'iteration':(ours(motion, word(grids, i))) with lines lt i lw 1.4 notitle, \
       for [i = 1:words(grids)] published_liu2013_curves using 'x':(liu(name(word(grids, i)))) with points lt i \
         pt mark(i) ps 0.6 lw 1 notitle, \
       for [g in grids] @values data using 'iteration':(ours(motion, g)):(says('ours, '.name(g).' vertices', \
         'iteration %g: error %g', column('iteration'), ours(motion, g))) @told, \
       for [g in grids] @values published_liu2013_curves using 'x':(liu(name(g))):(says('Liu 2013, '.name(g).' vertices', \
         'iteration %g: error %g', column('x'), liu(name(g)))) @told, \
       for [i = 1:p == 1 ? words(grids) : 0] keyentry with linespoints lt i lw 1.4 pt mark(i) ps 0.6 \
         title name(word(grids, i)).' vertices', \
       for [i = 1:p == 1 ? 1 : 0] keyentry with points pt 6 ps 0.6 lc rgb grey title 'Liu et al. 2013 (marks)'
  unset key
}
unset multiplot
