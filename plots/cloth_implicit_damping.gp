# Energy above that at rest over time, a line for each time step of implicit Euler by one Newton iteration; in grey
# symplectic Euler at the smallest step, which keeps the energy.
# Data: frames; columns method, substeps, frame_seconds, time, energy_total.
stats data using 'energy_total' name 'E' nooutput
rest = exists('E_min') ? E_min : 0
above(m, s) = only(is('method', m) && equals('substeps', s + 0), column('energy_total') - rest)
stats data using (is('method', 'newton_1') ? note('substeps') : NaN) nooutput
steps = found eq '' ? '1' : found

eval page(8.8, 7.6)
set title heading noenhanced
set logscale y
set xrange [0:10]
set yrange [1e-3:30]
set format y '10^{%T}'
set xlabel 'time (s)'
set ylabel 'energy above rest (J)'
set bmargin 7.2
set key at screen 0.5, screen 0.012 bottom center noenhanced maxrows 2 Left reverse samplen 2.2 width -5
implicit(i) = sprintf('implicit Euler, h = %g s', 0.1 / word(steps, i))
plot data using 'time':(above('symplectic_euler', 100)) with lines lc rgb grey lw 1.6 dt 1 notitle, \
     for [i = 1:words(steps)] data using 'time':(above('newton_1', word(steps, i))) with lines lt i lw 1.5 notitle, \
     @values data using 'time':(above('symplectic_euler', 100)):(says('symplectic Euler, h = 0.001 s', 't = %g s: %g J', \
       column('time'), above('symplectic_euler', 100))) @told, \
     for [i = 1:words(steps)] @values data using 'time':(above('newton_1', word(steps, i))):(says(implicit(i), \
       't = %g s: %g J', column('time'), above('newton_1', word(steps, i)))) @told, \
     keyentry with lines lc rgb grey lw 1.6 dt 1 title 'symplectic, h = 0.001 s', \
     for [i = words(steps):1:-1] keyentry with lines lt i lw 1.5 \
       title sprintf('implicit, h = %g s', 0.1 / word(steps, i))
