# Total energy of the rope against time, one panel for each number of substeps. Lines that leave the frame at the top
# are runs that blow up. Data: frames; columns integrator, substeps, time, energy_total.
eval page(18, 7.8)
set multiplot layout 1, 2 title heading noenhanced margins 0.08, 0.975, 0.34, heading eq '' ? 0.92 : 0.85 spacing 0.075
set xlabel 'time (s)' offset 0, 0.5
set ylabel 'total energy (J)' offset 1, 0
set xrange [0 : *] noextend
set yrange [1500 : 4500]
set ytics 500
# Those that coincide are drawn wide below narrow.
methods = 'symplectic_euler stoermer_verlet velocity_verlet rk4 position_verlet implicit_euler explicit_euler midpoint'
array names[8] = ['symplectic Euler', 'Störmer-Verlet', 'velocity Verlet', 'Runge-Kutta 4', 'Verlet with projections', \
                  'implicit Euler', 'explicit Euler', 'midpoint rule']
style = '6 8 1 7 3 4 2 5'
width = '2.6 1.8 0.9 1.2 1.2 1.4 1.4 1.4'
drawn(i, substeps) = only(is('integrator', word(methods, i)) && equals('substeps', substeps), column('energy_total'))
set key at screen 0.5, screen 0.01 bottom center vertical Left reverse noenhanced maxrows 2 samplen 2.8 width -4
do for [panel = 1:2] {
  substeps = word('16 64', panel) + 0
  set title sprintf('%d substeps a second', substeps) font ',7.5' offset 0, -0.6
  if (panel == 2) {
    unset key
    unset ylabel
  }
  plot for [i = 1:3] data using 'time':(drawn(i, substeps)) with lines lt word(style, i) + 0 dt 1 \
         lw word(width, i) + 0 title names[i], \
       for [i = 4:8] data using 'time':(drawn(i, substeps)) with lines lt word(style, i) + 0 \
         lw word(width, i) + 0 title names[i], \
       for [i = 1:8] @values data using 'time':(drawn(i, substeps)):(says(names[i], 't = %g s: %g J', column('time'), \
         drawn(i, substeps))) @told
}
unset multiplot
