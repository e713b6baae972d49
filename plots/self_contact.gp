# Mean height of a sheet folded in two on a plane at the end, by the thickness of self-contact; the line is half of
# it: the upper of two equal layers lies a thickness above the lower. 0 stands for no self-contact.
# Data: rows; columns integrator, self_contact, thickness, center_z.
eval page(8.8, 6.6)
set title heading noenhanced
set xlabel 'thickness (mm), 0: without self-contact'
set ylabel 'mean height at the end (mm)'
set xrange [-5 : 95]
set yrange [0 : 45]
set key top left Left reverse enhanced samplen 2.2
wide(none) = is('method', 'off') ? 0 : 1000 * column('thickness')
high(name) = only(is('integrator', name), 1000 * column('center_z'))
plot x / 2 with lines lw 1.2 lc rgb black dt 1 title 'thickness/2', \
     data using (wide(0)):(high('symplectic_euler')) with points pt 5 ps 0.8 lc rgb blue title 'symplectic Euler', \
     data using (wide(0)):(high('velocity_verlet')) with points pt 6 ps 1.1 lw 1.5 lc rgb vermillion title 'velocity Verlet', \
     @values data using (wide(0)):(1000 * column('center_z')):(says(plain(stringcolumn('integrator')), \
       'thickness %g mm: %g mm', wide(0), 1000 * column('center_z'))) @told
