# Penetration of a cloth into a ball against the stiffness of the penalty. A free mass m that runs into a spring of
# stiffness k_c at speed v goes v √(m/k_c) deep; v: after a free fall
# from the plane of the sheet to the top of the ball. Combined with the cancelling of velocities it does not penetrate.
# Data: rows; columns method, contact_stiffness, penetration_max, status.
m = 1.0 / 21**2
v = sqrt(2 * 9.8 * 0.4)
eval page(8.8, 7.8)
set title heading noenhanced
set logscale xy
set xlabel 'stiffness of the penalty (N/m)'
set ylabel 'largest penetration (mm)'
set format x '10^{%T}'
set xrange [20 : 45000]
set yrange [0.3 : 1000]
set bmargin 7
set key at screen 0.5, screen 0.015 bottom center Left reverse enhanced maxrows 3 samplen 2.4
depth(name) = only(is('method', name) && column('penetration_max') > 0, 1000 * column('penetration_max'))
plot 1000 * v * sqrt(m / x) with lines lw 1.2 lc rgb black dt 1 title 'v √(m/k_c), with v after 0.4 m of free fall', \
     400 with lines lw 1 lc rgb grey dt (2, 3) title 'radius of the ball', \
     data using 'contact_stiffness':(depth('penalty_of')) with points pt 5 ps 0.8 lc rgb vermillion title 'penalty force, measured', \
     @values data using 'contact_stiffness':(depth('penalty_of')):(says('penalty', 'k_c = %g N/m: %g mm', \
       column('contact_stiffness'), depth('penalty_of'))) @told
