# Relative error of the minimisers against wall time, a panel for every resolution; in grey, dashed, the curves that
# Liu et al. (2013, figure 2) give for 81 x 81 vertices on an i7-3720QM.
# Data: curves; columns grid, method, status, iteration, seconds, relative_error, last. Published: liu2013_curves.
stats data using (note('grid')) nooutput
grids = found
found = ''
stats data using (note('method')) nooutput
methods = found
# The legend names what is drawn: methods with a point beyond their start, and ends of cases that are not ok.
found = ''
stats data using (column('iteration') >= 1 ? note('method') : NaN) nooutput
shown = ''
do for [i = 1:words(methods)] { if (strstrt(' '.found, ' '.word(methods, i).' ') > 0) { shown = shown.i.' ' } }
found = ''
stats data using (column('iteration') >= 1 && column('last') == 1 && !is('status', 'ok') ? note('status') : NaN) nooutput
failed = words(found)
nth(k) = k > words(shown) ? 1 : word(shown, k) + 0
liu_grid = strstrt(' '.grids, ' 80 ')
panels = words(grids)
rows = panels > 2 ? 2 : 1

eval page(18, rows == 2 ? 14 : 9)
set multiplot layout rows, panels > 1 ? 2 : 1 title heading noenhanced \
    margins char 9, char 3, char 9.2, char heading eq '' ? 1.5 : 3 spacing char 8, char 4.8
set logscale xy
stats data using (only(column('seconds') > 0, column('seconds'))) name 'X' nooutput
if (!exists('X_min')) { X_min = 1e-5; X_max = 10 }
set xrange [10**floor(log10(X_min)) : 10**ceil(log10(X_max > 15 ? X_max : 15))]
set format x '10^{%T}'
set yrange [1e-10:2]
set format y '10^{%T}'
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 4 Left reverse samplen 3 width -3

liu(panel, wanted) = only(is('figure', panel) && is('curve', wanted) && column('x') > 0, column('relative_error'))
names = 'local_global newton_direct newton_pcg'
published(c) = 'Liu et al., '.(c eq 'local_global' ? 'local-global' : c eq 'newton_direct' ? 'Newton, direct' : \
  c eq 'newton_pcg' ? 'Newton, PCG' : 'Newton')
mark(name) = name eq 'newton_direct' ? 8 : name eq 'newton_pcg' ? 4 : 6
width(i) = 1.6
curve(g, m) = only(equals('grid', g + 0) && is('method', m), column('relative_error'))
end(g) = only(equals('grid', g + 0) && !is('status', 'ok') && column('last') == 1, column('relative_error'))
# Cases that left no curve (none at all, or only its start) are named beside the panel's title.
nothing(ignored) = is('iteration', '?') || (column('last') == 1 && column('iteration') < 1)
name(g) = equals('grid', g + 0) && nothing(0) ? (absent = absent.(absent eq '' ? '; no curve: ' : '; '). \
          plain(stringcolumn('method')), 0) : 0
# Where local_global, ahead at first, falls behind Newton with preconditioned CG: the last time at which its polyline in
# (log t, log e) crosses that of the other upwards. A ring marks it; its time and error stand in a corner.
set style textbox opaque noborder margins 0.3, 0.2
array T[20000]; array E[20000]
keep(t, e) = (kept = kept + 1, T[kept] = log10(t), E[kept] = log10(e), 0)
take(g, m) = equals('grid', g + 0) && is('method', m) && column('seconds') > 0 && column('relative_error') > 1e-12 \
             ? keep(column('seconds'), column('relative_error')) : 0
between(a, b, t) = E[a] + (E[b] - E[a]) * (t - T[a]) / (T[b] - T[a])
rivals = 'newton_cg_icc newton_cg_icc_loose'
do for [p = 1:panels] {
  grid = word(grids, p)
  absent = ''
  stats data using (name(grid)) nooutput
  unset label
  do for [r = 1:words(rivals)] {
    kept = 0
    stats data using (take(grid, word(rivals, r))) nooutput
    first = kept
    stats data using (take(grid, 'local_global')) nooutput
    found_t = NaN
    j = 1
    do for [i = first + 1:kept] {
      while (j < first - 1 && T[j + 1] < T[i]) { j = j + 1 }
      if (first > 1 && T[i] >= T[j] && T[i] <= T[j + 1]) {
        ahead = E[i] - between(j, j + 1, T[i])
        if (i > first + 1 && before < 0 && ahead >= 0) { found_t = T[i]; found_e = E[i] }
        before = ahead
      } else { before = -1 }
    }
    if (found_t == found_t && found_e > -10) {
      set label 2 * r at 10 ** found_t, 10 ** found_e point pt 6 ps 1.1 lw 1.6 lc rgb black front
      rival = plain(word(rivals, r))
      told_here = sprintf('behind %s from %.2g s, %.1e', rival[strstrt(rival, ', ') + 2:], 10 ** found_t, 10 ** found_e)
      if (grid eq '80') { set label 2 * r + 1 told_here at graph 0.02, 0.05 + 0.07 * (2 - r) font ',6' front boxed } \
      else { set label 2 * r + 1 told_here right at graph 0.98, 0.94 - 0.07 * (r - 1) font ',6' front boxed }
    }
  }
  set title sprintf('%d × %d vertices%s', grid + 1, grid + 1, absent) noenhanced offset 0, -0.6 \
      font absent eq '' ? '' : ',6.5'
  set xlabel 'time (s)' offset 0, 0.4
  set ylabel p % 2 == 1 ? 'relative error' : ''
  plot for [i = 1:words(methods)] data using 'seconds':(curve(grid, word(methods, i))) \
         with lines lt i lw width(i) notitle, \
       data using 'seconds':(end(grid)) with points pt 2 ps 0.7 lw 1.5 lc rgb black notitle, \
       for [c in grid eq '80' ? names : ''] published_liu2013_curves using 'x':(liu('fig2_bottom', c)) \
         with linespoints lc rgb grey dt (6, 3) lw 1 pt mark(c) ps 0.5 notitle, \
       for [m in methods] @values data using 'seconds':(curve(grid, m)):(says(plain(m), '%g s: error %g', \
         column('seconds'), curve(grid, m))) @told, \
       for [c in grid eq '80' ? names : ''] @values published_liu2013_curves using 'x':(liu('fig2_bottom', c)): \
         (says(published(c), '%g s: error %g', column('x'), liu('fig2_bottom', c))) @told, \
       for [k = 1:p == 1 ? words(shown) : 0] keyentry with lines lt nth(k) lw width(nth(k)) \
         title plain(word(methods, nth(k))), \
       for [i = 1:p == 1 && failed ? 1 : 0] keyentry with points pt 2 ps 0.7 lw 1.5 lc rgb black title 'did not end ok', \
       for [c in p == 1 && liu_grid ? names : ''] keyentry with linespoints lc rgb grey dt (6, 3) lw 1 pt mark(c) ps 0.5 \
         title published(c)
  unset key
}
unset multiplot
