# Penetration of a cloth into a ball against the time step, a line for each treatment of contact. Open marks: some steps
# met no tolerance. What does not penetrate stands at the foot.
# Data: rows; columns method, h, penetration_max, status.
foot = 0.2
eval page(8.8, 7.4)
set title heading noenhanced
set logscale xy
set xlabel 'time step h (s)'
set ylabel 'largest penetration (mm)'
set format x '10^{%T}'
set xrange [0.0006 : 0.17]
set yrange [0.15 : 700]
set ytics (1, 10, 100, 'none' foot)
set bmargin 7.4
set key at screen 0.5, screen 0.015 bottom center Left reverse noenhanced maxrows 3 samplen 2.2 width -4
names = 'none cancel_velocity penalty combined penalty_implicit'
depth(name) = is('method', name) ? (column('penetration_max') > foot / 1000 ? 1000 * column('penetration_max') : foot) : NaN
mark(i) = word('13 9 5 7 11', i) + 0
open(i) = word('12 8 4 6 10', i) + 0
tint = grey.' '.vermillion.' '.orange.' '.blue.' '.green
set datafile missing '?'
plot 400 with lines lw 1 lc rgb grey dt (2, 3) notitle, \
     for [i = 1:5] data using 'h':(depth(word(names, i))) smooth unique with lines lt i lc rgb word(tint, i) notitle, \
     for [i = 1:5] data using 'h':(only(is('status', 'ok'), depth(word(names, i)))) with points pt mark(i) ps 0.8 \
       lc rgb word(tint, i) notitle, \
     for [i = 1:5] data using 'h':(only(!is('status', 'ok'), depth(word(names, i)))) with points pt open(i) ps 1 lw 1.5 \
       lc rgb word(tint, i) notitle, \
     for [i = 1:5] @values data using 'h':(depth(word(names, i))):(says(plain(word(names, i)).ending(0), \
       'h = %g s: %g mm', column('h'), 1000 * column('penetration_max'))) @told, \
     for [i = 1:5] keyentry with linespoints lt i lc rgb word(tint, i) pt mark(i) ps 0.8 title plain(word(names, i)), \
     keyentry with lines lw 1 lc rgb grey dt (2, 3) title 'radius of the ball'
