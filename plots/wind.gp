# Left: momentum of a free sheet and exp(sqrt(10) t), through its value at 9 s. Right: energy of a sheet pinned by two
# corners (without the field's potential), by time step.
# Data: frames; columns method, substeps, frame_seconds, time, momentum_x, momentum_y, energy_total.
momentum(n) = sqrt(column('momentum_x')**2 + column('momentum_y')**2)
free(value) = only(is('method', 'turntable_free'), value)
pinned(s, value) = only(is('method', 'turntable_pinned') && equals('substeps', s + 0), value)
stats data using (is('method', 'turntable_free') && abs(column('time') - 9) < 0.01 ? momentum(0) : NaN) name 'P' nooutput
if (!exists('P_mean')) { P_mean = 1e-5 }
stats data using (is('method', 'turntable_pinned') ? note('substeps') : NaN) nooutput
steps = found eq '' ? '1' : found

eval page(13, 6)
set multiplot layout 1, 2 title heading noenhanced \
    margins char 9, char 2, char 3.8, char heading eq '' ? 2 : 3.4 spacing char 9, char 1
set logscale y
set format y '10^{%T}'
set xlabel 'time (s)' offset 0, 0.3
set xrange [0:15]
set ylabel 'momentum (kg m/s)'
set yrange [1e-17:1e5]
set ytics 1e4
set title 'free, h = 0.01 s' noenhanced offset 0, -0.7
set key bottom right enhanced Left reverse samplen 2.5
plot data using 'time':(free(momentum(0))) with lines lt 1 lw 3 title 'measured', \
     P_mean * exp(sqrt(10) * (x - 9)) with lines lc rgb black dt (4, 4) lw 1 title 'exp(√10 t)', \
     @values data using 'time':(free(momentum(0))):(says('free', 't = %g s: %g kg m/s', column('time'), momentum(0))) @told
set title 'pinned by two corners' noenhanced offset 0, -0.7
set ylabel 'total energy (J)'
set yrange [1:1e5]
set ytics 10
set key top left noenhanced Left reverse samplen 2.5
plot for [i = 1:words(steps)] data using 'time':(pinned(word(steps, i), column('energy_total'))) with lines lt i + 1 \
       title sprintf('h = %g s', 0.05 / word(steps, i)), \
     for [s in steps] @values data using 'time':(pinned(s, column('energy_total'))):(says(sprintf('h = %g s', 0.05 / s), \
       't = %g s: %g J', column('time'), column('energy_total'))) @told
unset multiplot
