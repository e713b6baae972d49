# Time per frame of the 81 x 81 curtain: ours (with quartiles) beside the times of Liu et al. (2013, table 1 and
# figure 2; open marks). Set-up is not counted. Crosses: cases that did not end ok.
# Data: rows; columns method, status, step_median_s, step_q1_s, step_q3_s. Published: liu2013_frame_times.
stats data using (note('method')) nooutput
methods = found
place(m) = (sum [i = 1:words(methods)] (word(methods, i) eq m ? i : 0))

eval page(12, 7.6)
set title heading noenhanced
set logscale x
set xlabel 'time per frame (ms)'
set format x '10^{%T}'
set xrange [0.3:50000]
set yrange [words(methods) + 0.6 : 0.4]
set ytics scale 0 noenhanced
unset grid
set grid xtics ytics
do for [i = 1:words(methods)] { set ytics add (plain(word(methods, i)) i) }
set bmargin 5.5
set key at screen 0.5, screen 0.015 bottom center noenhanced maxrows 1 Left reverse samplen 1.5 width -4
bar(ignored) = place(stringcolumn('method'))
plot data using (1000 * column('step_median_s')):(bar(0)):(1000 * column('step_q1_s')):(1000 * column('step_q3_s')) \
       with xerrorbars pt 7 ps 0.7 lw 1.2 lc rgb blue title 'ours', \
     data using (only(!is('status', 'ok'), 1000 * column('step_median_s'))):(bar(0)) \
       with points pt 2 ps 0.9 lw 1.5 lc rgb black title 'did not end ok', \
     published_liu2013_frame_times using 'time_ms':(only(bar(0) > 0, bar(0))) \
       with points pt 8 ps 0.9 lw 1.4 lc rgb vermillion title 'Liu et al. 2013', \
     @values data using (1000 * column('step_median_s')):(bar(0)):(says(plain(stringcolumn('method')), \
       'ours: %g ms', 1000 * column('step_median_s'), 0)) @told, \
     @values published_liu2013_frame_times using 'time_ms':(only(bar(0) > 0, bar(0))): \
       (says(plain(stringcolumn('method')), 'Liu 2013: %g ms', column('time_ms'), 0)) @told
