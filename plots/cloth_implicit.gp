# Time of a frame by one Newton iteration, by stiffness (left) and by time step (right); whiskers are quartiles; stars are
# published times.
# Data: rows; columns stiffness, h, step_median_s, step_q1_s, step_q3_s. Published: cloth_frame_cost, cloth_implicit_h.
milliseconds(name) = 1000 * column(name)
by_stiffness(value) = only(!equals('stiffness', 25), value)
by_step(value) = only(equals('stiffness', 25), value)

eval page(8.8, 6.2)
set multiplot layout 1, 2 title heading noenhanced \
    margins char 8, char 2, char 5.6, char heading eq '' ? 1 : 2.4 spacing char 2, char 1
set logscale x
set yrange [0:1.4]
set xtics nomirror
unset mxtics
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 1 Left reverse samplen 1.5
set ylabel 'time per frame (ms)'
set xlabel 'spring stiffness k (N/m)' offset 0, 0.3
set xrange [4:2500]
plot data using 'stiffness':(by_stiffness(milliseconds('step_median_s'))):(milliseconds('step_q1_s')): \
       (milliseconds('step_q3_s')) with yerrorbars lt 1 dt 1 title 'ours, with quartiles', \
     published_cloth_frame_cost using 'stiffness':(only(is('method', 'newton_1_cholesky'), \
       column('milliseconds_per_frame'))) with points lc rgb vermillion pt '☆' font ',10' notitle, \
     keyentry with points lc rgb vermillion pt '☆' font ',10' title 'published', \
     @values data using 'stiffness':(by_stiffness(milliseconds('step_median_s'))):(says('ours', 'k = %g N/m: %g ms', \
       column('stiffness'), milliseconds('step_median_s'))) @told, \
     @values published_cloth_frame_cost using 'stiffness':(only(is('method', 'newton_1_cholesky'), \
       column('milliseconds_per_frame'))):(says('published', 'k = %g N/m: %g ms', column('stiffness'), \
       column('milliseconds_per_frame'))) @told
unset ylabel
set format y ''
unset key
set xlabel 'time step h (s)' offset 0, 0.3
set xrange [4e-4:0.25]
plot data using 'h':(by_step(milliseconds('step_median_s'))):(milliseconds('step_q1_s')):(milliseconds('step_q3_s')) \
       with yerrorbars lt 1 dt 1 notitle, \
     published_cloth_implicit_h using 'h':'milliseconds_per_frame' with points lc rgb vermillion pt '☆' font ',10' \
       notitle, \
     @values data using 'h':(by_step(milliseconds('step_median_s'))):(says('ours', 'h = %g s: %g ms', column('h'), \
       milliseconds('step_median_s'))) @told, \
     @values published_cloth_implicit_h using 'h':'milliseconds_per_frame':(says('published', 'h = %g s: %g ms', \
       column('h'), column('milliseconds_per_frame'))) @told
unset multiplot
