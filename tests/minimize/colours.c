/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many colours backend sor needs on the matrices of the scenes: the sweep's parallel depth. */
#include "solvers/linear/coloured.h"
#include "tests/minimize/world.h"

static PetscInt colours_of(const char *springs, int grid, bool blocks)
{
  world       w;
  Mat         A;
  sb_coloured coloured = {0};
  world_open_bare(&w, PETSC_COMM_SELF, "scene=cloth;grid=%d;springs=%s", grid, springs);
  if (blocks)
    OK(sb_system_create_block_matrix(w.system, &A));
  else
    OK(sb_system_create_scalar_matrix(w.system, w.h, &A));
  OK(sb_coloured_create(A, blocks ? 3 : 1, &coloured));
  const PetscInt count = coloured.colours;
  OK(sb_coloured_destroy(&coloured));
  OK(MatDestroy(&A));
  world_close(&w);
  return count;
}

/* The number of colours of largest-first, for any size. The fewest are 2 and 3 for structural and alternating, so there
 * it is the best; 3 for triangulated, of which it takes 4. */
static const struct {
  const char *springs;
  PetscInt    least, most;
} patterns[] = {{"structural", 2, 2},          {"triangulated", 4, 4},
                {"alternating", 3, 3},         {"crossed", 5, 5},
                {"structural+bending", 4, 4},  {"triangulated+bending", 3, 3},
                {"alternating+bending", 6, 6}, {"crossed+bending", 6, 7}};

static void test_patterns(void)
{
  static const int grids[] = {5, 20, 41, 80};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i)
    for (size_t j = 0; j < sizeof grids / sizeof *grids; ++j) {
      const PetscInt count = colours_of(patterns[i].springs, grids[j], false);
      if (count < patterns[i].least || count > patterns[i].most)
        fail_msg("%s, grid %d: %d colours", patterns[i].springs, grids[j], (int)count);
      if (grids[j] <= 20) assert_int_equal(colours_of(patterns[i].springs, grids[j], true), count);
    }
}

PETSC_TEST_MAIN(test_patterns)
