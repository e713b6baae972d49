/* Figures as SVG: what gnuplot means for its own script becomes titles that browsers show; what goes into a page draws
 * and does nothing else. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/figure_data.h"
#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

#define GROUP "<g fill=\"none\" color=\"black\">\n"
#define VALUE(text, x, y)                                                                                              \
  GROUP "\t<g onmousemove=\"gnuplot_svg.showHypertext(evt,'" text "')\" onmouseout=\"gnuplot_svg.hide()\">"            \
        "<title> </title>\n\t<use xlink:href='#gpPt6' transform='translate(" #x "," #y ") scale(1)'/></g>\n</g>\n"

static const char drawn_by_gnuplot[] =
    "<svg \n viewBox=\"0 0 9 9\"\n>\n<title>Gnuplot</title>\n" GROUP "</g>\n" GROUP "\t<path d='M1,2'/></g>\n"
    "\t<g id=\"gnuplot_plot_1\" ><title>named</title>\n" GROUP "\t<path d='M3,4'/></g>\n\t</g>\n"
    "\t<g id=\"gnuplot_plot_2\" ><title>gnuplot_plot_2</title>\n" VALUE("it's &lt;a>, 1 s: 2 m", 1.5, 2.5)
        VALUE("it's &lt;a>, 1 s: 2 m", 1.5, 2.5)
            VALUE("b', 3", 7, 8) "\t</g>\n"
                                 "\t<g id=\"gnuplot_plot_3\" ><title>gnuplot_plot_3</title>\n" VALUE(
                                     "upon the first", 1.6, 2.4) "\t</g>\n</svg>\n";

static const char with_values[] =
    "<svg \n viewBox=\"0 0 9 9\"\n>\n<title>A &lt; B</title>\n" GROUP "\t<path d='M1,2'/></g>\n"
    "\t<g id=\"gnuplot_plot_1\" ><title>named</title>\n" GROUP "\t<path d='M3,4'/></g>\n\t</g>\n"
    "\t<g id=\"gnuplot_plot_2\" >\n\t</g>\n\t<g id=\"gnuplot_plot_3\" >\n\t</g>\n"
    "<g class=\"values\" fill=\"none\" stroke=\"none\" pointer-events=\"all\">\n"
    "<circle cx=\"1.50\" cy=\"2.50\" r=\"2.6\"><title>it's &lt;a>, 1 s: 2 m\nupon the first</title></circle>\n"
    "<circle cx=\"7.00\" cy=\"8.00\" r=\"2.6\"><title>b', 3</title></circle>\n</g>\n</svg>\n";

/* The file a.svg of `w` with this text, after sb_figure_svg; malloc'ed. */
static char *rewritten(const world *w, const char *text, const char *title)
{
  char *path = sb_format("%s/a.svg", w->directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  assert_true(sb_figure_svg(path, title));
  free(path);
  return world_read(w, "a.svg");
}

static void values_become_titles(void **state)
{
  (void)state;
  world *w = world_create("");
  char  *text = rewritten(w, drawn_by_gnuplot, "A < B"), *again = rewritten(w, text, "A < B");
  assert_string_equal(text, with_values);
  assert_string_equal(again, with_values);
  free(text);
  free(again);
  world_destroy(&w);
}

/* Values of one plot, `count` of them 1.5 points apart. */
static size_t values_left(const world *w, int count)
{
  char  *text = NULL;
  size_t length = 0, left = 0;
  FILE  *stream = open_memstream(&text, &length);
  for (int i = 0; i < count; ++i)
    fprintf(stream,
            "\t<g onmousemove=\"gnuplot_svg.showHypertext(evt,'%d')\" onmouseout=\"\"><title> </title>\n"
            "\t<use transform='translate(%g,9) scale(1)'/></g>\n",
            i, 1.5 * i);
  fputs("</svg>\n", stream);
  fclose(stream);
  char *svg = rewritten(w, text, NULL);
  for (const char *at = svg; (at = strstr(at, "<circle")); ++at) ++left;
  free(text);
  free(svg);
  return left;
}

static void long_curves_are_thinned(void **state)
{
  (void)state;
  world *w = world_create("");
  assert_int_equal(values_left(w, 0), 0);
  assert_int_equal(values_left(w, 100), 100);
  assert_int_equal(values_left(w, 300), 100); /* 4.5 points apart */
  assert_false(sb_figure_svg("/no/such/file.svg", "a"));
  world_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_become_titles),
      cmocka_unit_test(long_curves_are_thinned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
