# Mean relative error of local_global over 50 frames against the iteration, by stiffness: lines are ours, open marks the
# curves of Liu et al. (2013, figure 3, top).
# Data: curves; columns stiffness, iteration, relative_error. Published: liu2013_curves.
stats data using (note('stiffness')) nooutput
values = found

eval page(8.8, 7.4)
set title heading noenhanced
set logscale y
set xrange [0:100]
set yrange [1e-4:1]
set xlabel 'iteration'
set ylabel 'relative error, mean over frames'
set format y '10^{%T}'
set bmargin 7
set key at screen 0.5, screen 0.015 bottom center noenhanced maxrows 3 Left reverse samplen 2.5 width -2

ours(g) = only(equals('stiffness', g + 0), column('relative_error'))
liu(c) = only(is('figure', 'fig3_top_441v') && is('curve', c), column('relative_error'))
name(g) = sprintf('k%g', g + 0)
mark(i) = word('6 8 4 10 12 6 8 4', i) + 0
plot for [i = 1:words(values)] data using 'iteration':(ours(word(values, i))) with lines lt i lw 1.4 \
       title 'k = '.word(values, i).' N/m', \
     for [i = 1:words(values)] published_liu2013_curves using 'x':(liu(name(word(values, i)))) with points lt i \
       pt mark(i) ps 0.6 lw 1 notitle, \
     keyentry with points pt 6 ps 0.6 lc rgb grey title 'Liu 2013'
