# Time of a step against the number of vertices with and without self-contact; the line is in proportion to the vertices.
# Data: rows; columns method, grid, step_median_s, step_q1_s, step_q3_s.
eval page(8.8, 7)
set title heading noenhanced
set logscale xy
set xlabel 'vertices'
set ylabel 'time of a step (ms)'
set format xy '10^{%T}'
set xrange [700 : 150000]
set key top left Left reverse noenhanced samplen 2.4
n(none) = (column('grid') + 1)**2
cost(name) = only(is('method', name), 1000 * column('step_median_s'))
stats data using (cost('self_contact') / n(0)) name 'Y' nooutput
each = exists('Y_median') ? Y_median : 1e-4
plot each * x with lines lw 1.2 lc rgb black dt (6, 4) title 'in proportion to vertices', \
     data using (n(0)):(cost('self_contact')) with linespoints lt 1 lc rgb blue pt 7 ps 0.7 title 'with self-contact', \
     data using (n(0)):(cost('without')) with linespoints lt 2 lc rgb vermillion pt 9 ps 0.7 title 'without', \
     for [m in 'self_contact without'] @values data using (n(0)):(cost(m)):(says(plain(m), '%g vertices: %g ms', n(0), \
       cost(m))) @told
