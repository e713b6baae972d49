# Height of a rope's centre of mass below its pin against time, for each damping: drag or verlet_damping, whichever the
# sweep varies. At rest the rope hangs half its length below the pin. Data: frames; columns drag or verlet_damping, time,
# energy_gravity; the rope starts level with its pin, 200 m up, so that height = 200 m E/E(0).
eval page(8.8, 7.0)
set title heading noenhanced
set xlabel 'time (s)'
set ylabel 'centre of mass above the pin (m)'
by_drag = sweep ne 'rope_verlet_damping'
name = by_drag ? 'drag' : 'verlet_damping'
levels = by_drag ? '0 0.001 0.01 0.1' : '0 0.00005 0.0005 0.005'
sign = by_drag ? 'c = %s kg/s' : 'd = %s'
stats data using (column('energy_gravity')) name 'E' nooutput
if (!exists('E_max')) E_max = 1
height(i) = only(column(name) == word(levels, i) + 0, 200 * column('energy_gravity') / E_max - 200)
set xrange [0 : *] noextend
set yrange [-245 : 10]
set bmargin 6
set key at screen 0.5, screen 0.015 bottom center horizontal Left reverse maxrows 2 samplen 3 width 2
set arrow 1 from graph 0, first -200.0 to graph 1, first -200.0 nohead lw 0.8 lc rgb black dt (1, 2) back
set label 1 'at rest' at graph 0.98, first -222 right font ',6.5'
plot for [i = 1:4] data using 'time':(height(i)) with lines lt word('8 3 2 1', i) + 0 \
  lw word('0.9 1.1 1.4 2.2', i) + 0 title sprintf(sign, word(levels, i)), \
     for [i = 1:4] @values data using 'time':(height(i)):(says(sprintf(sign, word(levels, i)), 't = %g s: %g m', \
  column('time'), height(i))) @told
