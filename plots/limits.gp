# The roofline of a core: operations per second against operations per byte, both logarithmic. Roofs are the rows of
# kernel=machine, measured for the best instruction set; a kernel has a point for each size of net, larger for a larger
# net, and a thin line up to a tick at the roof that is lowest for it, at the bandwidth of just as large an array.
# Data: rows; columns kernel, instruction_set, grid, status, kernel_s, bound_s, operations, traffic, peak, bandwidth_l1,
# bandwidth_l2, bandwidth_l3, bandwidth_memory.
names = 'energy step forces local_step hessian block_solve scalar_solve scalar_factor block_factor'
array label[9] = ['energy', 'explicit step', 'forces', 'local step', 'Hessian', 'solve, 1 column', 'solve, 3 columns', \
                  'factorisation, scalar', 'factorisation, blocks']
color(i) = word('#e69f00 #d55e00 #56b4e9 #0072b2 #009e73 #999933 #cc79a7 #882255 #000000', i)
shape(i) = word('5 9 7 11 13 4 6 8 10', i) + 0
levels = 'bandwidth_l1 bandwidth_l2 bandwidth_l3 bandwidth_memory'
array level[4] = ['L1', 'L2', 'L3', 'memory']

array roof[4]
array highest[1]
highest[1] = NaN
do for [i = 1:4] {roof[i] = NaN}
best(name) = is('kernel', name) && is('instruction_set', 'best') && is('status', 'ok')
take(i) = (best('machine') ? roof[i] = column(word(levels, i)) : 0, 0)
top(ignored) = (best('machine') ? highest[1] = column('peak') : 0, 0)
do for [i = 1:4] {stats data using (take(i)) nooutput}
stats data using (top(0)) nooutput
peak = highest[1] * 1e-9

intensity(i) = only(best(word(names, i)), column('operations') / column('traffic'))
rate(i) = only(best(word(names, i)), 1e-9 * column('operations') / column('kernel_s'))
bound(i) = only(best(word(names, i)), 1e-9 * column('operations') / column('bound_s'))
size(ignored) = 0.5 + 0.15 * log(column('grid') / 9.0) / log(2)

width = 18; height = 12
eval page(width, height)
set title heading noenhanced
set logscale xy
set xrange [0.12:60]; set yrange [1:2 * peak]
set xtics ('⅛' 0.125, '¼' 0.25, '½' 0.5, '1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32)
set ytics (1, 2, 5, 10, 20, 50, 100, 200)
set mytics 1; set mxtics 1
set xlabel 'operations per byte that must be moved'
set ylabel 'operations per second (10^{9})' enhanced
bottom = 2.6; top = height - (heading eq '' ? 0.2 : 0.8)
set key at screen 0.5, screen 0.1 / height bottom center vertical maxrows 3 noenhanced Left reverse samplen 1.2 \
  width 1 - excess * 22
eval place(1.3, 17.7, bottom, top)
set label sprintf('%.0f GFLOP/s: products with a sum', peak) at 50, 1.25 * peak right tc rgb '#404040' font ',6.5'
# Words lie along their line, short of its end, and where kernels have few points.
slant = atan2((top - bottom) / log10(2 * peak), (17.7 - 1.3) / log10(60 / 0.12)) * 180 / pi
do for [i = 1:4] {
  bandwidth = roof[i] * 1e-9
  end = peak / bandwidth
  start = end < 0.8 ? 0.14 : end < 2 ? 0.27 : 0.45 * end
  set label sprintf('%s %.0f GB/s', level[i], bandwidth) at start, 1.12 * start * bandwidth rotate by slant \
    tc rgb '#404040' font ',6.5'
}
under(x, b) = b * x < peak ? b * x : peak
plot for [i = 1:4] under(x, roof[i] * 1e-9) with lines lw 0.9 dt 1 lc rgb '#707070' notitle, \
     for [i = 1:9] data using (intensity(i)):(rate(i)):(0):(bound(i) - rate(i)) with vectors nohead lw 0.4 dt 3 \
       lc rgb color(i) notitle, \
     for [i = 1:9] data using (intensity(i)):(bound(i)) with points pt '–' lc rgb color(i) notitle, \
     for [i = 1:9] data using (intensity(i)):(rate(i)):(size(0)) with points pt shape(i) ps variable lc rgb color(i) \
       notitle, \
     for [i = 1:9] keyentry with points pt shape(i) ps 0.9 lc rgb color(i) title label[i], \
     keyentry with points pt '–' lc rgb black title 'lowest roof of a point'
