# Energy above that at rest over time, a panel for each kind of damping, a line for each time step; grey: exp(-t), as one
# oscillator damped at a rate of 1/s decays.
# Data: frames; columns method, substeps, frame_seconds, time, energy_total.
stats data using 'energy_total' name 'E' nooutput
rest = exists('E_min') ? E_min : 0
above(m, s) = only(is('method', m) && equals('substeps', s + 0), column('energy_total') - rest)
stats data using (note('substeps')) nooutput
steps = found eq '' ? '1' : found

eval page(8.8, 10.5)
set multiplot layout 2, 1 title heading noenhanced \
    margins char 9, char 2, char 6, char heading eq '' ? 1.5 : 3.2 spacing char 1, char 2.2
set logscale y
set xrange [0:12]
set yrange [1e-4:30]
set format y '10^{%T}'
set ylabel 'energy above rest (J)'
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 2 Left reverse samplen 2.5
width(i) = 2.3 - 0.4 * i
step(i) = sprintf('h = %g s', 0.05 / word(steps, i))
set format x ''
set title 'damping rate 1/s' noenhanced offset 0, -0.7
plot for [i = 1:words(steps)] data using 'time':(above('rate_1', word(steps, i))) with lines lt i lw width(i) notitle, \
     for [i = 1:words(steps)] @values data using 'time':(above('rate_1', word(steps, i))): \
       (says(step(i), 't = %g s: %g J', column('time'), above('rate_1', word(steps, i)))) @told, \
     -rest * exp(-x) with lines lc rgb grey dt (6, 3) lw 1 notitle, \
     for [i = 1:words(steps)] keyentry with lines lt i lw width(i) title step(i), \
     keyentry with lines lc rgb grey dt (6, 3) lw 1 title 'exp(-t)'
set format x '%g'
set xlabel 'time (s)' offset 0, 0.4
set title 'velocity factor 0.995 a step' noenhanced offset 0, -0.7
unset key
plot for [i = 1:words(steps)] data using 'time':(above('factor_0_995', word(steps, i))) with lines lt i lw width(i) \
       notitle, \
     for [i = 1:words(steps)] @values data using 'time':(above('factor_0_995', word(steps, i))): \
       (says(step(i), 't = %g s: %g J', column('time'), above('factor_0_995', word(steps, i)))) @told, \
     -rest * exp(-x) with lines lc rgb grey dt (6, 3) lw 1 notitle
unset multiplot
