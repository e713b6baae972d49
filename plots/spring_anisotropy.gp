# Left: stiffness along the load of a sheet held at its lower edge, against the direction of the load. The lines are what
# linear elasticity makes of three of the points, at 0, 45 and 90 degrees: the displacement is a symmetric matrix S times
# the force, so that 1/K = Sxx cos^2 + Syy sin^2 + 2 Sxy sin cos.
# Right: Young's modulus of the infinite sheet in the direction of the pull, in polar form: theory, from the stiffness
# matrix of each pattern (docs/findings/anisotropy.md), all springs of stiffness k.
# Data: rows; columns springs, load_direction ([x,y,z]), load_stiffness, status.
families = 'triangulated alternating crossed'
color(i) = word('#d55e00 #0072b2 #009e73 #000000', i)
shape(i) = word('9 7 5', i) + 0
set dashtype 11 (40, 0.01)
set dashtype 12 (10, 4)
set dashtype 13 (4, 2)
dashes(i) = 10 + i

first(text) = strstrt(text, ',')
x_of(text) = real(text[2:first(text) - 1])
rest(text) = text[first(text) + 1:*]
y_of(text) = real(rest(text)[1:first(rest(text)) - 1])
angle(ignored) = atan2(y_of(stringcolumn('load_direction')), x_of(stringcolumn('load_direction')))
point(f) = only(is('springs', f) && is('status', 'ok'), column('load_stiffness'))
failed(ignored) = only(!is('status', 'ok'), 110)
array Sxx[3]; array Syy[3]; array Sxy[3]
take(i) = (a = angle(0), k = 1 / column('load_stiffness'), abs(a) < 1e-9 ? Sxx[i] = k : \
           abs(a - pi / 2) < 1e-9 ? Syy[i] = k : abs(a - pi / 4) < 1e-9 ? Sxy[i] = k : 0, 0)
do for [i = 1:3] {
  Sxx[i] = NaN; Syy[i] = NaN; Sxy[i] = NaN
  stats data using (is('springs', word(families, i)) ? take(i) : 0) nooutput
  Sxy[i] = Sxy[i] - 0.5 * (Sxx[i] + Syy[i])
}
linear(i, a) = 1 / (Sxx[i] * cos(a) ** 2 + Syy[i] * sin(a) ** 2 + 2 * Sxy[i] * sin(a) * cos(a))

# Young's modulus over k at angle a: c2, s2 squares of cosine and sine, p their product
young(i, c2, s2, p) = i == 1 ? 1 / (c2 * c2 + s2 * s2 + 2 * p + 4 * p * p) : \
                      i == 2 ? 4.0 / 3 : \
                      i == 3 ? 1 / ((2 * (c2 * c2 + s2 * s2) - 2 * c2 * s2) / 3 + p * p) : \
                      p == 0 ? 1 : NaN
modulus(i, a) = young(i, cos(a) ** 2, sin(a) ** 2, sin(a) * cos(a))

degrees(a) = a * 180 / pi + (a < -1e-9 ? 360 : 0)

eval page(18, 9)
set multiplot title heading noenhanced
set samples 721
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 1 Left reverse samplen 3 width 2
set origin 0, 0
set lmargin at screen 0.075; set rmargin at screen 0.56
set bmargin at screen 0.2; set tmargin at screen heading eq '' ? 0.93 : 0.85
set title 'measured: a sheet of 20 × 20 cells held at one edge' noenhanced offset 0, -0.6
set logscale y
set xrange [-10:370]; set yrange [100:2000]
set xtics 90; set mxtics 2; set ytics (100, 200, 500, 1000, 2000)
set xlabel 'direction of the load (°; 90 away from the held edge)' offset 0, 0.4
set ylabel 'load/displacement along it (N/m)' offset 1, 0
plot for [i = 1:3] linear(i, x * pi / 180) with lines lw 1.3 dt dashes(i) lc rgb color(i) notitle, \
     for [i = 1:3] data using (degrees(angle(0))):(point(word(families, i))) \
       with points pt shape(i) ps 0.8 lc rgb color(i) notitle, \
     data using (degrees(angle(0))):(failed(0)) with points pt 2 ps 0.8 lc rgb black notitle, \
     for [i = 1:3] keyentry with linespoints lw 1.3 dt dashes(i) pt shape(i) ps 0.8 lc rgb color(i) \
       title word(families, i)
unset key; unset logscale; unset xlabel; unset ylabel
unset xtics; unset ytics; unset border; unset grid
set lmargin at screen 0.62; set rmargin at screen 0.99
set title "theory: Young's modulus/k of an infinite sheet" noenhanced offset 0, -0.6
set parametric
set trange [0:2 * pi]
set size ratio -1
top = 2.7
set xrange [-top:top]; set yrange [-top:top]
do for [n = 1:2] {
  set label sprintf('%d', n) at n, 0 left offset 0.3, 0.5 tc rgb '#606060' font ',7'
}
set arrow from -top, 0 to top, 0 nohead lw 0.4 lc rgb '#d0d0d0'
set arrow from 0, -top to 0, top nohead lw 0.4 lc rgb '#d0d0d0'
set label '0°' at top, 0 right offset 0, 0.6 font ',7'
set label '90°' at 0, top left offset 0.4, -0.5 font ',7'
plot for [n = 1:2] n * cos(t), n * sin(t) with lines lw 0.5 dt 1 lc rgb '#d0d0d0' notitle, \
     for [i = 1:3] modulus(i, t) * cos(t), modulus(i, t) * sin(t) with lines lw 1.5 dt dashes(i) lc rgb color(i) notitle
unset multiplot
