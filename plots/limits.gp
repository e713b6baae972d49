# Kernels and the lowest of their roofs: a mark is the rate of a kernel on a net, the larger the larger the net, and a
# line leads to a tick at its lowest roof, at the bandwidth of just as large an array. Sizes lie below each other.
# Data: rows; columns kernel, instruction_set, grid, status, kernel_s, bound_s, operations, peak.
names = 'energy step forces local_step hessian block_solve scalar_solve scalar_factor block_factor'
array label[9] = ['energy', 'explicit step', 'forces', 'local step', 'Hessian', 'solve, 1 column', 'solve, 3 columns', \
                  'factorisation, scalar', 'factorisation, blocks']
best(name) = is('kernel', name) && is('instruction_set', 'best') && is('status', 'ok')
peak = NaN
take(ignored) = (best('machine') ? peak = 1e-9 * column('peak') : 0, 0)
stats data using (take(0)) nooutput
rate(i, seconds) = only(best(word(names, i)), 1e-9 * column('operations') / column(seconds))
doublings(ignored) = log(column('grid') / 9.0) / log(2)
row(i) = i + 0.11 * (doublings(0) - 3)

width = 13; height = 9.6
eval page(width, height)
set title heading noenhanced
set logscale x
set xrange [1:2 * peak]; set yrange [9.6:0.4]
set xtics (1, 2, 5, 10, 20, 50, 100, 200)
set mxtics 1
set ytics () noenhanced scale 0
do for [i = 1:9] {set ytics add (label[i] i)}
set xlabel 'operations per second (10^{9})' enhanced
set key at screen 0.5, screen 0.1 / height bottom center horizontal noenhanced Left reverse samplen 1.2
eval place(3.2, 12.6, 1.7, height - (heading eq '' ? 0.2 : 0.8))
set arrow from peak, graph 0 to peak, graph 1 nohead lw 0.9 lc rgb '#707070'
set label sprintf('%.0f GFLOP/s: products with a sum', peak) at 1.15 * peak, graph 0.03 rotate by 90 font ',7'
plot for [i = 1:9] data using (rate(i, 'kernel_s')):(row(i)):(rate(i, 'bound_s') - rate(i, 'kernel_s')):(0) \
       with vectors nohead lw 0.6 dt 1 lc rgb '#a0a0a0' notitle, \
     for [i = 1:9] data using (rate(i, 'bound_s')):(row(i)) with points pt '|' lc rgb black notitle, \
     for [i = 1:9] data using (rate(i, 'kernel_s')):(row(i)):(0.4 + 0.06 * doublings(0)) with points pt 7 ps variable \
       lc rgb blue notitle, \
     keyentry with points pt 7 ps 0.8 lc rgb blue title 'measured', \
     keyentry with points pt '|' lc rgb black title 'lowest roof'
