# Frequency of a chain's modes against their wave number: points are measured, the heavy line is 2 sqrt(k/m) sin(q/2),
# and thin lines are what each integrator makes of it by its own theory, w = phase(h 2 sin(q/2))/h. Data: rows; columns
# integrator, wave_number, h_seconds, frequency_measured, status.
eval page(8.8, 9.2)
set title heading noenhanced
set xlabel 'wave number q (rad/m)'
set ylabel 'frequency (rad/s)'
set xrange [0 : pi]
set yrange [0 : 2.8]
set xtics ('0' 0, 'π/4' pi/4, 'π/2' pi/2, '3π/4' 3*pi/4, 'π' pi)
stats data using (column('h_seconds')) name 'H' nooutput
h = exists('H_max') ? H_max : 0.9
z(q) = 2 * h * sin(q / 2)
angle(i, z) = i == 1 ? (z <= 2 ? 2 * asin(z / 2) : NaN) : \
              i == 2 ? (z < sqrt(2) ? atan(z / (1 - z**2 / 2)) : pi + atan(z / (1 - z**2 / 2))) : \
              i == 3 ? atan(z) : \
              arg({1, 0} * (1 - z**2 / 2 + z**4 / 24) + {0, 1} * (z - z**3 / 6))
methods = 'symplectic_euler stoermer_verlet velocity_verlet midpoint rk4 explicit_euler implicit_euler'
array names[7] = ['symplectic Euler', 'Störmer-Verlet', 'velocity Verlet', 'midpoint rule', 'Runge-Kutta 4', \
                  'explicit Euler', 'implicit Euler']
mark = '6 4 7 5 13 9 10'
size = '1.0 1.25 0.5 0.55 0.65 0.6 1.0'
measured(i) = only(is('integrator', word(methods, i)) && is('status', 'ok'), column('frequency_measured'))
set samples 400
set bmargin 8
set key at screen 0.5, screen 0.012 bottom center vertical Left reverse enhanced maxrows 4 samplen 3.4 width -1
# What the theory of each method looks like: colour and dash of the line.
colour = blue.' '.blue.' '.blue.' '.orange.' '.grey.' '.vermillion.' '.vermillion
do for [i = 1:7] {
  of = i <= 3 ? 1 : (i <= 5 ? i - 2 : 4)
  if (of == 1) { set style line i dt 1 lw 0.9 lc rgb word(colour, i) }
  if (of == 2) { set style line i dt (6, 3) lw 0.9 lc rgb word(colour, i) }
  if (of == 3) { set style line i dt (3, 3) lw 0.9 lc rgb word(colour, i) }
  if (of == 4) { set style line i dt (8, 3, 2, 3) lw 0.9 lc rgb word(colour, i) }
}
plot 2 * sin(x / 2) with lines lw 1.8 lc rgb black dt 1 title 'exact, 2 sin(q/2)', \
     for [i = 1:7] angle(word('1 1 1 2 4 3 3', i) + 0, z(x)) / h with lines ls i notitle, \
     for [i = 1:7] data using 'wave_number':(measured(i)) with points ls i dt 1 \
       pt (word(mark, i) + 0) ps (word(size, i) + 0) lw 1.1 notitle, \
     for [i = 1:7] @values data using 'wave_number':(measured(i)): \
       (says(names[i], 'q = %g rad/m: %g rad/s', column('wave_number'), measured(i))) @told, \
     for [i = 1:7] keyentry with linespoints ls i pt (word(mark, i) + 0) ps (word(size, i) + 0) \
       title names[i]
