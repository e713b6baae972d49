# Time until a rope has blown up against substeps a frame: points are measured, lines predicted by the growth of the
# fastest mode under explicit Euler. Runs that reached the end stand above it, a row of open marks for each method.
# Data: rows; columns integrator, substeps, h_seconds, drag, status, blowup_time, blowup_predicted, limit_h,
# duration_seconds.
eval page(8.8, 7.6)
set title heading noenhanced
set logscale xy
set xlabel 'substeps per frame'
set ylabel 'time until blow-up (s)'
set format y '10^{%T}'

stats data using (column('duration_seconds')) name 'D' nooutput
stats data using (column('substeps')) name 'S' nooutput
stats data using (column('substeps') * column('h_seconds') / column('limit_h')) name 'L' nooutput
stats data using (column('blowup_time')) name 'T' nooutput
if (!exists('D_max')) D_max = 100
if (!exists('T_min')) T_min = D_max / 10
if (!exists('L_max')) L_max = S_min
end = D_max
set xrange [S_min / 1.4 : S_max * 1.4]
set yrange [10**floor(log10(T_min)) : end * 6]
set xtics 4 nomirror
if (S_max < 8 * S_min) { set xtics (sprintf('%g', S_min) S_min, sprintf('%g', S_max) S_max) nomirror }
unset mxtics
set bmargin 6.6
set key at screen 0.5, screen 0.015 bottom center Left reverse enhanced maxrows 3 samplen 2 width -4

# The limit of the symplectic methods, and the end of the run.
set arrow 1 from L_max, graph 0 to L_max, graph 1 nohead lw 1 lc rgb black dt (4, 3) back
right = log(L_max / S_min) > 0.5 * log(S_max / S_min)
limit = sprintf('%.3g substeps: h = 2/ω_{max}', L_max)
if (right) { set label 1 limit at L_max, graph 0.05 right offset -0.6, 0 font ',6.5' front }
if (!right) { set label 1 limit at L_max, graph 0.05 left offset 0.6, 0 font ',6.5' front }
set arrow 2 from graph 0, first end to graph 1, first end nohead lw 0.8 lc rgb grey dt solid back
set label 2 sprintf('end: %g s', end) at graph 0.03, first end / 1.5 left font ',6.5' front

# The drags of explicit Euler, from the smallest.
stats data using (is('integrator', 'explicit_euler') ? note('drag') : NaN) nooutput
least(list) = words(list) < 2 ? word(list, 1) : lesser(word(list, 1), least(list[strlen(word(list, 1)) + 2:*]))
lesser(a, b) = a + 0 <= b + 0 ? a : b
without(list, name) = substr(' '.list.' ', 2, strstrt(' '.list.' ', ' '.name.' ')). \
                      substr(' '.list.' ', strstrt(' '.list.' ', ' '.name.' ') + strlen(name) + 2, strlen(list) + 2)
drags = ''
do for [k = 1:words(found)] { next = least(trim(found)); drags = drags.next.' '; found = without(trim(found), next) }
all = words(drags)
colours = blue.' '.vermillion.' '.green.' '.orange.' '.sky.' '.grey
colour(i) = word(colours, (i - 1) % 6 + 1)
# Different drags may give the same time: the marks fit into one another.
mark(i) = word('6 8 5', (i - 1) % 3 + 1) + 0
size(i) = word('1.0 0.8 0.3', (i - 1) % 3 + 1) + 0
blown(method) = only(is('integrator', method) && is('status', 'diverged'), column('blowup_time'))
alive(method, line) = only(is('integrator', method) && is('status', 'ok'), end * 1.38**line)
explicit(i) = sprintf('explicit Euler, c = %s kg/s', word(drags, i))
other(i) = word('symplectic_euler velocity_verlet', i)
fell(series) = says(series, '%g substeps: %g s', column('substeps'), column('blowup_time'))
survived(series) = says(series, '%g substeps: survived %g s', column('substeps'), end)
drag(i, value) = only(is('integrator', 'explicit_euler') && equals('drag', word(drags, i) + 0), value)
plot for [i = 1:all] data using 'substeps':(drag(i, column('blowup_predicted'))) smooth unique \
       with lines lt i lc rgb colour(i) notitle, \
     for [i = 1:all] data using 'substeps':(drag(i, blown('explicit_euler'))) \
       with points lt i lc rgb colour(i) dt 1 lw 1 pt mark(i) ps size(i) notitle, \
     data using 'substeps':(blown('symplectic_euler')) with points lt 4 pt 10 ps 0.85 lw 1 notitle, \
     data using 'substeps':(blown('velocity_verlet')) with points lt 7 pt 2 notitle, \
     for [i = 1:all] data using 'substeps':(drag(i, alive('explicit_euler', 2.4 + 0.8 * i))) \
       with points pt 8 ps 0.6 lw 1 lc rgb colour(i) notitle, \
     data using 'substeps':(alive('symplectic_euler', 2)) with points pt 8 ps 0.6 lw 1 lc rgb purple notitle, \
     data using 'substeps':(alive('velocity_verlet', 1)) with points pt 8 ps 0.6 lw 1 lc rgb black notitle, \
     for [i = 1:all] @values data using 'substeps':(drag(i, blown('explicit_euler'))):(fell(explicit(i))) @told, \
     for [i = 1:all] @values data using 'substeps':(drag(i, alive('explicit_euler', 2.4 + 0.8 * i))): \
       (survived(explicit(i))) @told, \
     for [i = 1:2] @values data using 'substeps':(blown(other(i))):(fell(plain(other(i)))) @told, \
     for [i = 1:2] @values data using 'substeps':(alive(other(i), 3 - i)):(survived(plain(other(i)))) @told, \
     for [i = 1:all] keyentry with linespoints lt i lc rgb colour(i) lw 1 pt mark(i) ps size(i) \
       title 'explicit, c = '.word(drags, i).' kg/s', \
     keyentry with points lt 4 pt 10 ps 0.85 lw 1 title 'symplectic Euler', \
     keyentry with points lt 7 pt 2 title 'velocity Verlet', \
     keyentry with points pt 8 ps 0.6 lw 1 lc rgb grey title sprintf('survived %g s', end)
