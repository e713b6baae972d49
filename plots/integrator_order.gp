# Error of positions at the end of a run against the time step, one line of points for each integrator; the thin lines
# have the slopes 1, 2 and 4. Data: rows; columns integrator, h_seconds, error_position, status.
eval page(8.8, 8.6)
set title heading noenhanced
set logscale xy
set xlabel 'time step h (s)'
set ylabel 'largest error of a position (m)'
set format xy '10^{%T}'
stats data using (column('h_seconds')) name 'H' nooutput
stats data using (column('error_position')) name 'E' nooutput
if (!exists('H_min')) H_min = 0.001
if (!exists('H_max')) H_max = 0.1
if (!exists('E_min')) E_min = 1e-12
if (!exists('E_max')) E_max = 1
set xrange [H_min / 1.5 : H_max * 1.5]
set yrange [E_min / 4 : E_max * 4]
methods = 'explicit_euler implicit_euler symplectic_euler midpoint velocity_verlet stoermer_verlet rk4'
array names[7] = ['explicit Euler', 'implicit Euler', 'symplectic Euler', 'midpoint rule', 'velocity Verlet', \
                  'Störmer-Verlet', 'Runge-Kutta 4']
style = '2 4 6 5 1 8 7'
mark = '9 8 6 5 7 4 13'
size = '0.6 0.7 0.9 0.6 0.5 0.95 0.7'
error(i) = only(is('integrator', word(methods, i)) && is('status', 'ok'), column('error_position'))
# Guides through the error of one method of each order at the largest h.
do for [p = 1:3] {
  guide_of = word('symplectic_euler velocity_verlet rk4', p)
  stats data using (only(is('integrator', guide_of) && equals('h_seconds', H_max), column('error_position'))) \
    name sprintf('G%d', p) nooutput
}
if (!exists('G1_max')) G1_max = NaN
if (!exists('G2_max')) G2_max = NaN
if (!exists('G3_max')) G3_max = NaN
guide(level, p, x) = 0.45 * level * (x / H_max)**p
set bmargin 7.6
set key at screen 0.5, screen 0.012 bottom center vertical Left reverse noenhanced maxrows 4 samplen 2.4
set label 1 'slope 1' at H_min, guide(G1_max, 1, H_min) left offset 0, -0.7 font ',6.5'
set label 2 'slope 2' at H_min, guide(G2_max, 2, H_min) left offset 0, -0.7 font ',6.5'
set label 4 'slope 4' at 2 * H_min, guide(G3_max, 4, 2 * H_min) left offset 0.5, -0.5 font ',6.5'
plot guide(G1_max, 1, x) with lines lw 0.6 lc rgb '#404040' dt 1 notitle, \
     guide(G2_max, 2, x) with lines lw 0.6 lc rgb '#404040' dt 1 notitle, \
     guide(G3_max, 4, x) with lines lw 0.6 lc rgb '#404040' dt 1 notitle, \
     for [i = 1:7] data using 'h_seconds':(error(i)) smooth unique with linespoints lt (word(style, i) + 0) \
       pt (word(mark, i) + 0) ps (word(size, i) + 0) title names[i], \
     for [i = 1:7] @values data using 'h_seconds':(error(i)):(says(names[i], 'h = %g s: %g m', column('h_seconds'), \
       error(i))) @told
