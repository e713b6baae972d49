# Time of a frame against the number of vertices, a line for each method with its backend at k = 1000 N/m; whiskers are
# quartiles; crosses are runs that did not end ok (at the top, in their method's colour: without a time); stars are
# published times of their colour's method (k = 10, 100 and 1000 N/m), all for 121 vertices.
# Data: rows; columns method, grid, stiffness, status, step_median_s, step_q1_s, step_q3_s.
# Published: cloth_frame_cost.
stats data using (note('method')) nooutput
methods = found
found = ''
stats data using (note('grid')) nooutput
grids = found
vertices(name) = (column(name) + 1)**2
milliseconds(name) = 1000 * column(name)
stats data using (vertices('grid')) name 'X' nooutput
stats data using (milliseconds('step_median_s')) name 'Y' nooutput
if (!exists('Y_min')) { Y_min = 1; Y_max = 10 }

eval page(18, 12)
set title heading noenhanced
set logscale xy
set xlabel 'vertices'
set ylabel 'time per frame (ms)'
set xrange [X_min / 1.5 : X_max * 1.5]
top = 10**ceil(log10(Y_max * 1.2))
set yrange [10**floor(log10(Y_min < 0.3 ? Y_min : 0.3)) : top]
set format y '10^{%T}'
set xtics () nomirror
do for [g in grids] { set xtics add (sprintf('%d', (g + 1)**2) (g + 1)**2) }
unset mxtics
set bmargin 10.5
set key at screen 0.5, screen 0.012 bottom center Left reverse noenhanced maxrows 6 samplen 2.5 spacing 1.1 width -8

mark(i) = word('7 9 5 11 13 6 8 4 10 12 1 14', (i - 1) % 12 + 1) + 0
mine(m) = is('method', m) && equals('stiffness', 1000)
cost(m) = only(mine(m), milliseconds('step_median_s'))
bad(m) = only(is('method', m) && !is('status', 'ok'), 1)
blank(m) = bad(m) * only(is('step_median_s', '?'), top / 1.3)
published = published_cloth_frame_cost
star(m) = only(is('method', m), column('milliseconds_per_frame'))
colours = blue.' '.vermillion.' '.green.' '.purple.' '.orange.' '.sky.' '.black.' '.grey.' #882255 #999933'
colour(i) = word(colours, (i - 1) % 10 + 1)
plot for [i = 1:words(methods)] data using (vertices('grid')):(cost(word(methods, i))) with lines lt i \
       lc rgb colour(i) notitle, \
     for [i = 1:words(methods)] data using (vertices('grid')):(cost(word(methods, i))): \
       (milliseconds('step_q1_s')):(milliseconds('step_q3_s')) with yerrorbars lt i lc rgb colour(i) dt 1 lw 0.8 \
       pt mark(i) ps 0.7 notitle, \
     for [i = 1:words(methods)] data using (vertices('grid')):(blank(word(methods, i))) \
       with points pt 2 ps 0.9 lw 2 lc rgb colour(i) notitle, \
     for [i = 1:words(methods)] data using (vertices('grid')):(bad(word(methods, i)) * milliseconds('step_median_s')) \
       with points pt 2 ps 0.9 lw 1.5 lc rgb black notitle, \
     for [i = 1:words(methods)] published using (vertices('grid')):(star(word(methods, i))) \
       with points lc rgb colour(i) pt '☆' font ',9' notitle, \
     for [m in methods] @values data using (vertices('grid')):(cost(m)):(says(plain(m).ending(0), '%g vertices: %g ms', \
       vertices('grid'), cost(m))) @told, \
     for [m in methods] @values data using (vertices('grid')):(blank(m)):(says(plain(m).ending(0), \
       '%g vertices, no time', vertices('grid'), 0)) @told, \
     for [m in methods] @values published using (vertices('grid')):(star(m)):(says('published, '.plain(m), \
       sprintf('k = %g N/m, ', column('stiffness')).'%g vertices: %g ms', vertices('grid'), star(m))) @told, \
     for [i = 1:words(methods)] keyentry with linespoints lt i lc rgb colour(i) pt mark(i) ps 0.7 \
       title plain(word(methods, i)), \
     keyentry with points pt 2 ps 0.9 lw 1.5 lc rgb black title 'did not end ok', \
     keyentry with points lc rgb grey pt '☆' font ',9' title 'published, in its method''s colour'
