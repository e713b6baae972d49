# How far from the minimum the farthest coordinate is when a method stops, against the number of vertices; the thin line
# is the tolerance between iterates that stopped it. Filled marks: the tolerance was met in every frame; crosses on
# them: iterations ran out.
# Data: rows; columns method, status, grid, deviation_final, step_tolerance.
stats data using (note('method')) nooutput
methods = found

eval page(8.8, 7.4)
set title heading noenhanced
set logscale xy
set xlabel 'vertices'
set ylabel 'farthest from the minimum (m)'
set format y '10^{%T}'
set xrange [6:3000]
set yrange [1e-11:1e-1]
set bmargin 7
set key at screen 0.5, screen 0.015 bottom center noenhanced maxrows 3 Left reverse samplen 2 width -4

vertices(ignored) = (column('grid') + 1) ** 2
left(m) = only(is('method', m), column('deviation_final'))
missed(ignored) = only(!is('status', 'ok'), column('deviation_final'))
plot for [i = 1:words(methods)] data using (vertices(0)):(left(word(methods, i))) with linespoints lt i lw 1.4 \
       title plain(word(methods, i)), \
     data using (vertices(0)):(missed(0)) with points pt 2 ps 0.9 lw 1.5 lc rgb black title 'iterations ran out', \
     1e-5 with lines lc rgb grey lw 0.8 title 'tolerance of the rule', \
     for [m in methods] @values data using (vertices(0)):(left(m)):(says(plain(m).ending(0), '%g vertices: %g m', \
       vertices(0), left(m))) @told
