# Height of the centre of mass and largest strain over time, a line for each set of pinned vertices.
# Data: frames; columns pins, time, energy_gravity (m g z of a total mass of 1 kg), strain_max.
stats data using (note('pins')) nooutput
sets = found
mine(p, value) = only(is('pins', p), value)

eval page(8.8, 11)
set multiplot layout 2, 1 title heading noenhanced \
    margins char 9, char 2, char 7.4, char heading eq '' ? 1 : 2.4 spacing char 1, char 1.5
set xrange [0:8]
set key at screen 0.5, screen 0.01 bottom center noenhanced maxrows 3 Left reverse samplen 2.5 width -3
set format x ''
set yrange [-1.95:0.1]
set ytics 0.5
set ylabel 'centre of mass z (m)'
plot for [i = 1:words(sets)] data using 'time':(mine(word(sets, i), column('energy_gravity') / 9.8)) with lines lt i \
       notitle, \
     for [p in sets] @values data using 'time':(mine(p, column('energy_gravity') / 9.8)):(says(plain(p), \
       't = %g s: z = %g m', column('time'), column('energy_gravity') / 9.8)) @told, \
     for [i = 1:words(sets)] keyentry with lines lt i title plain(word(sets, i))
set format x '%g'
set xlabel 'time (s)' offset 0, 0.3
set yrange [0:0.55]
set ytics 0.1
set ylabel 'largest strain'
unset key
plot for [i = 1:words(sets)] data using 'time':(mine(word(sets, i), column('strain_max'))) with lines lt i notitle, \
     for [p in sets] @values data using 'time':(mine(p, column('strain_max'))):(says(plain(p), 't = %g s: strain %g', \
       column('time'), column('strain_max'))) @told
unset multiplot
