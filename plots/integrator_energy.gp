# Largest error of the total energy so far, against time: flat is a band, rising is a drift. Runs that leave the frame
# at the top blow up. Data: frames; columns integrator, time, energy_total.
eval page(8.8, 7.8)
set title heading noenhanced
set logscale y
set xlabel 'time (s)'
set ylabel 'largest |E - E(0)| so far (J)'
set format y '10^{%T}'
set xrange [0 : *] noextend
set yrange [1e-4 : 1e3]
methods = 'symplectic_euler velocity_verlet rk4 midpoint explicit_euler implicit_euler'
array names[6] = ['symplectic Euler', 'velocity Verlet', 'Runge-Kutta 4', 'midpoint rule', 'explicit Euler', \
                  'implicit Euler']
style = '6 1 7 5 2 4'
first = 0
so_far = 0
larger(error) = (so_far = error > so_far ? error : so_far)
next(t, e) = t == 0 ? (first = e, so_far = 0, NaN) : larger(abs(e - first))
set bmargin 6.8
set key at screen 0.5, screen 0.015 bottom center vertical Left reverse noenhanced maxrows 3 samplen 3
set for [i = 1:6] style line i lt (word(style, i) + 0) lw (i <= 2 ? 2 : 1.3)
set style line 1 dt 1
plot for [i = 1:6] data using 'time':(is('integrator', word(methods, i)) ? \
  next(column('time'), column('energy_total')) : NaN) with lines ls i title names[i], \
     for [i = 1:6] @values data using 'time':(largest = is('integrator', word(methods, i)) ? \
  next(column('time'), column('energy_total')) : NaN):(says(names[i], 't = %g s: %g J', column('time'), largest)) @told
