# Time of a frame against size by how pinned vertices are held: ten local-global iterations (left), one of Newton (right);
# whiskers are quartiles.
# Data: rows; columns method, minimizer, grid, status, step_median_s, step_q1_s, step_q3_s.
milliseconds(name) = 1000 * column(name)
endings = 'reduce penalty row_replace reduce_lu'
labels = 'eliminated_(Cholesky) penalty_(Cholesky) replaced_rows_(LU) eliminated_(LU)'
ended(family, i) = is('method', family.'_'.word(endings, i)) && is('status', 'ok')
size(f) = (column('grid') + 1)**2

eval page(13, 7.4)
set multiplot layout 1, 2 title heading noenhanced \
    margins char 9, char 2, char 7.6, char heading eq '' ? 2 : 3.4 spacing char 3, char 1
set logscale xy
set xlabel 'vertices' offset 0, 0.3
set ylabel 'time per frame (ms)'
set xrange [80:10000]
set yrange [0.02:2000]
set format y '10^{%T}'
set xtics (121, 441, 1681, 6561) nomirror
unset mxtics
set key at screen 0.5, screen 0.012 bottom center noenhanced maxrows 2 Left reverse samplen 2.5
families = 'local_global newton'
titles(f) = f eq 'newton' ? 'one Newton iteration' : 'ten local-global iterations'
do for [p = 1:2] {
  family = word(families, p)
  set title titles(family) noenhanced offset 0, -0.7
  plot for [i = 1:4] data using (size(0)):(only(ended(family, i), milliseconds('step_median_s'))) with lines lt i notitle, \
       for [i = 1:4] data using (size(0)):(only(ended(family, i), milliseconds('step_median_s'))): \
         (milliseconds('step_q1_s')):(milliseconds('step_q3_s')) with yerrorbars lt i dt 1 lw 0.8 notitle, \
       for [i = 1:4] @values data using (size(0)):(only(ended(family, i), milliseconds('step_median_s'))): \
         (says(plain(word(labels, i)), '%g vertices: %g ms', size(0), milliseconds('step_median_s'))) @told, \
       for [i = 1:p == 1 ? 4 : 0] keyentry with linespoints lt i title plain(word(labels, i))
  unset key
  unset ylabel
  set format y ''
}
unset multiplot
