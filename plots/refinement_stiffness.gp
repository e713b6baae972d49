# Stiffness of a sheet held at one edge and pulled at the other, against the number of springs along an edge: a panel for
# every law of the springs' stiffness. Measured points of every family; the lines of structural (k (N + 1)/N) and of
# structural+bending (5 k (N + 1)/(N + 4 tanh(N ln φ)/√5), at even N) are theory.
# Data: rows; columns springs, grid, stiffness, load_stiffness, status.
families = 'structural triangulated alternating crossed structural+bending alternating+bending'
color(i) = word('#000000 #e69f00 #56b4e9 #d55e00 #0072b2 #009e73', i)
shape(i) = word('7 6 9 11 5 4', i) + 0
size(i) = i == 2 ? 1.1 : 0.75

eval page(18, 8.2)
set multiplot layout 1, 3 title heading noenhanced margins char 9, char 2, char 8.5, char heading eq '' ? 1.8 : 3.2 \
    spacing char 2, char 2
set logscale xy
set xrange [4:200]
set yrange [40:200000]
set xtics (5, 10, 20, 40, 80, 160) nomirror
unset mxtics
set xlabel 'springs along an edge, N' offset 0, 0.4
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 2 Left reverse samplen 2.5 width -1

law(n, p) = p == 1 ? 1e4 / n : p == 2 ? 1000 : 100 * n
chain(n) = (n + 1.0) / n
braced(n) = 5 * (n + 1) / (n + 4 / sqrt(5) * tanh(n * log((1 + sqrt(5)) / 2)))
point(f, p) = only(is('springs', f) && is('status', 'ok') && equals('stiffness', law(column('grid'), p)), \
                   column('load_stiffness'))
failed(p) = only(!is('status', 'ok') && equals('stiffness', law(column('grid'), p)), 100)
do for [p = 1:3] {
  set title p == 1 ? 'k = 10^4/N N/m' : p == 2 ? 'k = 1000 N/m' : 'k = 100 N N/m' enhanced offset 0, -0.6
  set ylabel p == 1 ? 'load/displacement (N/m)' : ''
  set format y p == 1 ? '10^{%T}' : ''
  plot law(x, p) * chain(x) with lines lw 1.2 lc rgb black dt 1 notitle, \
       law(x, p) * braced(x) with lines lw 1.2 lc rgb black dt (6, 4) notitle, \
       for [i = 1:6] data using 'grid':(point(word(families, i), p)) with points pt shape(i) ps size(i) \
         lc rgb color(i) notitle, \
       data using 'grid':(failed(p)) with points pt 2 ps 0.9 lc rgb grey notitle, \
       for [f in families] @values data using 'grid':(point(f, p)):(says(f, 'N = %g: %g N/m', column('grid'), \
         column('load_stiffness'))) @told, \
       for [i = 1:p == 1 ? 6 : 0] keyentry with points pt shape(i) ps size(i) lc rgb color(i) title word(families, i), \
       for [i = 1:p == 1 ? 1 : 0] keyentry with lines lw 1.2 lc rgb black dt 1 title 'k (N + 1)/N', \
       for [i = 1:p == 1 ? 1 : 0] keyentry with lines lw 1.2 lc rgb black dt (6, 4) title 'with bending, exact'
  unset key
}
unset multiplot
