/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first five iterates of vertex block descent, Anderson acceleration and ADMM are those of their authors' own code,
 * which tests/known/authors/ has (README.md there says how it came to them). `--net sheet` or `--net strand` writes the
 * net of a step as the header that the authors' code is given. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATES = 5 };

/* The initial velocity takes gravity's part away, so that the inertial point is where the step begins: the authors of
 * two of the methods start their histories there. */
#define SHEET                                                                                                          \
  "scene=cloth;grid=4;pins=none;stiffness=100;h=0.02;perturbation=0.05;gravity=[0,-9.8,0];"                            \
  "initial_velocity=[0,0.196,0];linear_tolerance=1e-14;step_tolerance=0;gradient_tolerance=0"
#define STRAND "scene=strand_masses;h=0.016666666666666666;step_tolerance=0;gradient_tolerance=0"

/* `rounding`, m: what it does to a vertex beside a stiff spring, across which nothing but inertia holds it: eps k l
 * h^2/m. */
static const struct {
  const char *file, *options;
  double      rounding;
} methods[] = {
    {"vbd.csv", STRAND ";minimizer=vertex_block_descent;vbd_block=exact", 2e-12},
    {"anderson.csv", SHEET ";minimizer=anderson;window=5", 0},
    {"admm.csv", SHEET ";minimizer=admm;admm_weight=0.25", 0},
};

static FILE *open_known(const char *name)
{
  char        path[400];
  const char *folder = getenv("SB_KNOWN");
  assert_non_null(folder);
  snprintf(path, sizeof path, "%s/authors/%s", folder, name);
  FILE *file = fopen(path, "r");
  if (!file) fail_msg("cannot read %s", path);
  return file;
}

/* theirs[ITERATES][vertices][3] */
static void read_iterates(const char *name, size_t vertices, double *theirs)
{
  char   line[200];
  size_t rows = 0;
  FILE  *file = open_known(name);
  assert_non_null(fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file)) {
    int    iterate, vertex;
    double x[3];
    assert_int_equal(sscanf(line, "%d,%d,%lf,%lf,%lf", &iterate, &vertex, &x[0], &x[1], &x[2]), 5);
    assert_true(iterate == (int)(rows / vertices) + 1 && vertex == (int)(rows % vertices));
    assert_true(rows < ITERATES * vertices);
    memcpy(&theirs[3 * rows++], x, sizeof x);
  }
  fclose(file);
  assert_int_equal(rows, ITERATES * vertices);
}

static double largest_difference(const double *a, const double *b, size_t count)
{
  double most = 0;
  for (size_t k = 0; k < count; ++k) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

/* To 1e-9 of what the iterations do to the place, each of them by itself: they are not all near a minimum. */
static void test_iterates_are_those_of_the_authors(void)
{
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    double *theirs = NULL;
    for (int k = 1; k <= ITERATES; ++k) {
      world              w;
      sb_minimize_report report;
      world_open(&w, PETSC_COMM_WORLD, "%s;max_iterations=%d", methods[m].options, k);
      const size_t count = 3 * w.pose.vertices;
      if (!theirs) {
        theirs = calloc(ITERATES * count, sizeof *theirs);
        assert_non_null(theirs);
        read_iterates(methods[m].file, w.pose.vertices, theirs);
      }
      world_minimize(&w, &report);
      double       *ours = world_gather(&w, w.z);
      const double *last = k > 1 ? theirs + (size_t)(k - 2) * count : w.pose.position;
      const double  moved = largest_difference(theirs + (size_t)(k - 1) * count, last, count);
      const double  off = largest_difference(theirs + (size_t)(k - 1) * count, ours, count);
      if (!(off <= 1e-9 * moved + methods[m].rounding))
        fail_msg("%s: iterate %d is %.3g m off theirs, of %.3g m that it moved", methods[m].file, k, off, moved);
      free(ours);
      world_close(&w);
    }
    free(theirs);
  }
}

static void write_array(const char *name, const double *value, size_t count)
{
  printf("static const double %s[] = {", name);
  for (size_t k = 0; k < count; ++k) printf("%s%.17g", k ? ", " : "", value[k]);
  printf("};\n");
}

static void write_net(const char *options)
{
  world w;
  world_open(&w, PETSC_COMM_SELF, "%s", options);
  printf("enum { VERTICES = %d };\nstatic const double h_seconds = %.17g;\n", (int)w.pose.vertices, w.h);
  write_array("mass", w.pose.mass, w.pose.vertices);
  write_array("position", w.pose.position, 3 * w.pose.vertices);
  write_array("velocity", w.pose.velocity, 3 * w.pose.vertices);
  printf("struct spring { int first, second; double stiffness, rest_length; };\nstatic const spring springs[] = {");
  for (size_t s = 0; s < w.pose.springs; ++s)
    printf("%s{%d, %d, %.17g, %.17g}", s ? ", " : "", (int)w.pose.ends[2 * s], (int)w.pose.ends[2 * s + 1],
           w.pose.stiffness[s], w.pose.rest_length[s]);
  printf("};\n");
  world_close(&w);
}

static void write_sheet(void) { write_net(SHEET); }

static void write_strand(void) { write_net(STRAND); }

int main(int argc, char **argv)
{
  if (argc != 3 || strcmp(argv[1], "--net") != 0)
    return RUN_PETSC_TESTS(argc, argv, test_iterates_are_those_of_the_authors);
  const bool sheet = strncmp(argv[2], "sh", 2) == 0;
  argc = 1;
  return sheet ? RUN_PETSC_TESTS(argc, argv, write_sheet) : RUN_PETSC_TESTS(argc, argv, write_strand);
}
