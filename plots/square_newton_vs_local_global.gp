# Time per step of Newton and of local-global iterations against the number of vertices, under one stopping rule. The
# bars span the quartiles of the steps; the thin line shows growth in proportion to the vertices.
# Data: rows; columns method, grid, status, vertices, step_median_s, step_q1_s, step_q3_s.
stats data using (note('method')) nooutput
methods = found

eval page(8.8, 7.4)
set title heading noenhanced
set logscale xy
set xlabel 'vertices'
set ylabel 'time per step (ms)'
set format y '10^{%T}'
set xrange [6:3000]
set bmargin 6
set key at screen 0.5, screen 0.015 bottom center noenhanced maxrows 2 Left reverse samplen 2 width -6

step(m) = only(is('method', m), 1000 * column('step_median_s'))
anchored(m) = only(equals('vertices', 441), step(m))
stats data using (anchored(word(methods, words(methods)))) name 'A' nooutput
anchor = exists('A_min') ? A_min : 0.1
plot for [i = 1:words(methods)] data \
       using 'vertices':(step(word(methods, i))):(1000 * column('step_q1_s')):(1000 * column('step_q3_s')) \
       with yerrorlines lt i lw 1.4 title plain(word(methods, i)), \
     [36:1700] anchor * x / 441. with lines lc rgb grey lw 0.8 title 'in proportion to vertices', \
     for [m in methods] @values data using 'vertices':(step(m)):(says(plain(m), '%g vertices: %g ms', \
       column('vertices'), step(m))) @told
