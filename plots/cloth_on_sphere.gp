# The largest stretch of a cloth that falls on a ball and drapes it, by resolution.
# Data: rows; columns integrator, grid, strain_max.
eval page(8.8, 6.8)
set title heading noenhanced
set logscale x
set xlabel 'vertices along an edge'
set ylabel 'largest |strain| of a spring in any frame (%)'
set xtics (16, 32, 64, 128) nomirror
unset mxtics
set xrange [12 : 170]
set yrange [0 : *]
set key top left Left reverse noenhanced samplen 2.4
n(none) = column('grid') + 1
stretch(name) = only(is('integrator', name), 100 * column('strain_max'))
plot data using (n(0)):(stretch('symplectic_euler')) with points pt 5 ps 0.9 lc rgb blue title 'symplectic Euler', \
     data using (n(0)):(stretch('velocity_verlet')) with points pt 6 ps 1.3 lw 1.5 lc rgb vermillion title 'velocity Verlet', \
     @values data using (n(0)):(100 * column('strain_max')):(says(plain(stringcolumn('integrator')), \
       '%g vertices a side: %g %%', n(0), 100 * column('strain_max'))) @told
