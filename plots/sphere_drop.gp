# Height of the centre of a hollow ball of springs that lies on the ground, by the stiffness of its springs; its radius is
# where it would be had it kept its shape.
# Data: rows; columns method, stiffness, center_z, status.
eval page(8.8, 6.8)
set title heading noenhanced
set logscale x
set xlabel 'stiffness of the springs (N/m)'
set ylabel 'height of the centre at the end (mm)'
set xrange [5 : 20000]
set yrange [0 : 560]
set format x '%g'
set key top left Left reverse noenhanced samplen 2.4 at graph 0.03, 0.82
high(name) = only(is('method', name), 1000 * column('center_z'))
plot 500 with lines lw 1.2 lc rgb black dt (6, 4) title 'radius: shape kept', \
     data using 'stiffness':(high('implicit_penalty')) with points pt 7 ps 1 lc rgb blue title 'centre at the end', \
     @values data using 'stiffness':(high('implicit_penalty')):(says('centre at the end', 'k = %g N/m: %g mm', \
       column('stiffness'), high('implicit_penalty'))) @told
