# Height of the centre of mass over time, a line for each method; black: converged steps.
# Data: frames; columns method, time, energy_gravity (m g z of a total mass of 1 kg).
stats data using (is('method', 'converged') || strstrt(stringcolumn('method'), 'inertial') > 0 ? NaN : note('method')) \
      nooutput
methods = found
height(m) = only(is('method', m), column('energy_gravity') / 9.8)

eval page(8.8, 7.6)
set title heading noenhanced
set xlabel 'time (s)'
set ylabel 'height of the centre of mass (m)'
set xrange [0:6]
set yrange [-1.15:0.05]
set bmargin 7.2
set key at screen 0.5, screen 0.012 bottom center noenhanced maxrows 3 Left reverse samplen 2.2 width -7
plot data using 'time':(height('converged')) with lines lc rgb black lw 2 dt 1 notitle, \
     for [i = 1:words(methods)] data using 'time':(height(word(methods, i))) with lines lt i notitle, \
     for [m in 'converged '.methods] @values data using 'time':(height(m)):(says(plain(m), 't = %g s: %g m', \
       column('time'), height(m))) @told, \
     keyentry with lines lc rgb black lw 2 dt 1 title 'converged', \
     for [i = 1:words(methods)] keyentry with lines lt i title plain(word(methods, i))
