# One style for all figures: the width of a journal's column (8.8 cm) or page (18 cm), sans serif, the colours of Okabe
# and Ito (2008), which colour-blind readers tell apart; shapes and dashes tell the same series apart in grey.
#
# The lines before this one set: term (svg, pdf, png, tex, dumb), id, figure_title, question, source, data, published_*.
set encoding utf8
set datafile separator "\t"
# Blank cells are `?`, which is no number: like NaN, they are left out, and lines go on past them.
set datafile missing NaN
set datafile columnheaders

black = '#000000'; orange = '#e69f00'; sky = '#56b4e9'; green = '#009e73'
yellow = '#f0e442'; blue = '#0072b2'; vermillion = '#d55e00'; purple = '#cc79a7'; grey = '#808080'
# Twelve colours, marks and dashes. From the 13th series on the colours begin again with other marks and dashes, so that
# no two of 144 series look alike.
colours = blue.' '.vermillion.' '.green.' '.purple.' '.orange.' '.sky. \
          ' #882255 #999933 #8c510a #117733 #cc6677 '.black
marks = '4 6 9 10 13 5 7 8 11 12 14 15'
sizes = '.55 .65 .50 .65 .70 .60 .65 .55 .65 .70 .65 .60'
set dashtype 1 solid
set dashtype 2 (10, 4)
set dashtype 3 (6, 4)
set dashtype 4 (12, 4, 3, 4)
set dashtype 5 (3, 3)
set dashtype 6 (16, 4)
set dashtype 7 (9, 3, 3, 3, 3, 3)
set dashtype 8 (8, 3)
set dashtype 9 (12, 3, 4, 3)
set dashtype 10 (5, 2)
set dashtype 11 (18, 3, 3, 3, 3, 3)
set dashtype 12 (14, 8)
turn(i, step) = (i - 1 + step * ((i - 1) / 12)) % 12 + 1
do for [i=1:144] {
  mark = turn(i, 7)
  set linetype i lc rgb word(colours, turn(i, 0)) lw 1.2 pt int(word(marks, mark)) ps real(word(sizes, mark)) \
                 dt turn(i, 5)
}
set linetype cycle 144

# Room is left for letters as wide as those of Helvetica: Nimbus Sans (package fonts-urw-base35), else what fontconfig
# has in its place. Where that is DejaVu Sans, the only font of a bare Debian, letters are wider, and made smaller.
wide = 1.0
if (term eq 'pdf' || term eq 'png') {
  sans = system("fc-match --format '%{family}' 'Nimbus Sans' 2>/dev/null")
  if (strstrt(sans, 'DejaVu') || strstrt(sans, 'Vera')) {wide = 0.87}
}
# eval page(width, height): both in cm; type is 7.5 points high in print. An svg takes the room it is given on a page; a
# png has 120 pixels a cm.
points = 72 / 2.54
look = "enhanced font 'Nimbus Sans,7.5'"
svg(w, h) = sprintf("set terminal svg size %g, %g dynamic enhanced font 'Nimbus Sans,7' background 'white'; ", \
                    w * points, h * points)
pdf(w, h) = sprintf("set terminal pdfcairo size %gcm, %gcm %s fontscale %g linewidth 2 pointscale 1.1; ", w, h, look, \
                    0.75 * wide)
png(w, h) = sprintf("set terminal pngcairo size %d, %d %s fontscale %g linewidth %g pointscale %g; ", w * 120, \
                    h * 120, look, 90 * wide / points, 120 / points, 120 / points)
tex(w, h) = sprintf("set terminal cairolatex pdf input size %gcm, %gcm font ',8' linewidth 2; ", w, h)
page(w, h) = term eq 'dumb' ? 'set terminal dumb 79, 32 noenhanced' : \
             (term eq 'svg' ? svg(w, h) : term eq 'pdf' ? pdf(w, h) : term eq 'tex' ? tex(w, h) : png(w, h)). \
             sprintf("set output '%s%s.%s'", id, term eq 'tex' ? '-latex' : '', term)
# eval place(left, right, bottom, top): where the axes stand on a page of `width` and `height`, in cm.
place(l, r, b, t) = sprintf('set lmargin at screen %.5f; set rmargin at screen %.5f; '. \
                            'set bmargin at screen %.5f; set tmargin at screen %.5f', \
                            real(l) / width, real(r) / width, real(b) / height, real(t) / height)
# eval decades(axis, low, high, ends): ticks of a logarithmic axis, at 1, 2 and 5 where it is short, else at powers of
# ten; where `ends` is 1, none beyond its ends.
far(l, h) = l < 1e-3 || h >= 1e5
brief(a, l, h) = sprintf("set format %s '%s'; set %stics (); do for [p=%d:%d] {do for [k in '1 2 5'] ". \
                         "{t = k * 10.0**p; if (t > %g && t < %g) {set %stics add (t)}}}", \
                         a, far(l, h) ? '%.0t·10^{%T}' : '%g', a, floor(log10(l)), floor(log10(h) + 1e-3), \
                         0.999 * l, 1.001 * h, a)
apart(l, h) = h > 1e8 * l ? ceil(log10(h / l) / 6) : 1
# Every tick is given: by itself gnuplot 6 puts some at 1, 1.5, 2, 2.5, ... to axes of two decades.
long(a, l, h, ends) = sprintf("set format %s '%s'; set %stics (); do for [p=%d:%d:%d] {t = 10.0**p; ". \
                              "set %stics add (t); do for [k=2:%d] {set %stics add ('' k * t 1)}}", \
                              a, far(l, h) ? '10^{%T}' : '%g', a, \
                              ends ? ceil(log10(l) - 1e-3) : apart(l, h) * floor(log10(l) / apart(l, h)), \
                              ends ? floor(log10(h) + 1e-3) : ceil(log10(h)), apart(l, h), \
                              a, ends || apart(l, h) > 1 ? 0 : 9, a)
decades(a, l, h, ends) = log10(real(h) / l) < (a eq 'y' ? 2.1 : 1.6) ? brief(a, l, h) : long(a, l, h, ends)
# In print the caption says what the title says.
heading = term eq 'pdf' || term eq 'tex' ? '' : figure_title

set border 31 lw 0.6 lc rgb '#404040'
set tics scale 0.6, 0.3 textcolor rgb black
set grid xtics ytics lw 0.4 lc rgb '#d0d0d0' dt solid, lw 0.4 lc rgb '#d0d0d0' dt solid
# In legends gnuplot takes a letter for wider than it is, by this part; in an svg it does not know the font.
excess = term eq 'svg' ? 0.3 : 0.15
# Lines of a legend are as high in an svg as elsewhere.
set key noenhanced samplen 2.2 spacing (term eq 'svg' ? 1.05 : 1.25)
set style fill solid 1 noborder
set bars small

# Whether a row's cell `name` is the word or number given: for filters in `using`.
is(name, word) = stringcolumn(name) eq word
equals(name, number) = abs(column(name) - number) <= 1e-9 * abs(number)
only(condition, value) = condition ? value : NaN
# The distinct words of a column, in the order of the file, separated by blanks: found = ''; stats using (note('name')).
found = ''
note(name) = (strstrt(' '.found.' ', ' '.stringcolumn(name).' ') == 0 ? found = found.stringcolumn(name).' ' : found, 0)
# a_b_c -> a b c
plain(text) = strstrt(text, '_') == 0 ? text : plain(text[1:strstrt(text, '_') - 1].' '.text[strstrt(text, '_') + 1:*])
