# Relative error in a frame against wall time: local-global iterations by stiffness, 1, 10, 20 and 100 of them marked;
# Newton with line search at k = 1000 N/m, every iteration marked.
# Data: curves; columns method, stiffness, iteration, seconds, relative_error.
stats data using (is('method', 'local_global_400') ? note('stiffness') : NaN) nooutput
levels = found
mine(m, k) = only(is('method', m) && equals('stiffness', k + 0) && column('iteration') > 0, column('relative_error'))
round(n) = n == 1 || n == 10 || n == 20 || n == 100
marked(k) = only(round(column('iteration')), mine('local_global_400', k))

eval page(8.8, 7.6)
set title heading noenhanced
set logscale xy
set format xy '10^{%T}'
set xlabel 'time in the frame (ms)'
set ylabel 'relative error'
set xrange [3e-3:30]
set yrange [1e-6:2]
set bmargin 7.2
set key at screen 0.5, screen 0.012 bottom center noenhanced maxrows 2 Left reverse samplen 2 width -4
milliseconds = 1e3
level(i) = sprintf('local-global, k = %s', word(levels, i))
said(series, error) = says(sprintf('%s N/m, %g iterations', series, column('iteration')), '%g ms: error %g', \
                           milliseconds * column('seconds'), error)
plot for [i = 1:words(levels)] data using (milliseconds * column('seconds')):(mine('local_global_400', word(levels, i))) \
       with lines lt i notitle, \
     for [i = 1:words(levels)] data using (milliseconds * column('seconds')):(marked(word(levels, i))) \
       with points lt i notitle, \
     data using (milliseconds * column('seconds')):(mine('newton_10_line_search', 1000)) with linespoints lt 4 notitle, \
     for [i = 1:words(levels)] @values data using (milliseconds * column('seconds')): \
       (mine('local_global_400', word(levels, i))):(said(level(i), mine('local_global_400', word(levels, i)))) @told, \
     @values data using (milliseconds * column('seconds')):(mine('newton_10_line_search', 1000)): \
       (said('Newton, k = 1000', mine('newton_10_line_search', 1000))) @told, \
     for [i = 1:words(levels)] keyentry with linespoints lt i title level(i), \
     keyentry with linespoints lt 4 title 'Newton, k = 1000'
