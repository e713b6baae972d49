/* See fixture.h. */
#include "fixture.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

void fixture_create(fixture *f, const char *const *pairs)
{
  static const char *const common[] = {"scene=cloth", "grid=2", "stiffness=10", "h=0.5", "duration=3.5", NULL};
  sb_diagnostics          *diagnostics = sb_diagnostics_create();
  char                     ranks[32];
  int                      size;
  *f = (fixture){.options = sb_options_create(NULL)};
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  snprintf(ranks, sizeof ranks, "ranks=%d", size);
  const char *const        world[] = {ranks, NULL};
  const char *const *const lists[] = {common, world, pairs};
  for (size_t list = 0; list < 3; ++list)
    for (const char *const *pair = lists[list]; pair && *pair; ++pair)
      sb_options_set_pair(f->options, *pair, SB_FROM_USER, (sb_location){0}, diagnostics);
  sb_case_resolve(f->options, &f->c.time, diagnostics);
  sb_diagnostics_print(diagnostics, stderr);
  assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  sb_diagnostics_destroy(&diagnostics);
  f->c.comm = PETSC_COMM_WORLD;
  f->c.options = f->options;
  sb_case_key(f->options, f->key);
  f->command = sb_case_command(f->options);
}

void fixture_destroy(fixture *f)
{
  SUCCEED(sb_recorder_destroy(&f->recorder));
  sb_options_destroy(&f->options);
  free(f->command);
}

char *fixture_run(fixture *f, const char *driver, const char *path, const char *samples_from)
{
  const sb_driver_list *list = walk_drivers();
  const sb_driver      *found = NULL;
  const sb_case_target  target = {path, samples_from, f->command, f->key};
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->drivers[i]->name, driver) == 0) found = list->drivers[i];
  assert_non_null(found);
  SUCCEED(sb_recorder_create(&f->c, found, &target, &f->recorder));
  SUCCEED(found->run(&f->c, f->recorder));
  SUCCEED(sb_recorder_finish(f->recorder));
  return sb_recorder_row_json(f->recorder);
}

void fixture_digest(const char *driver, const char *const *pairs, char digest[33])
{
  fixture f;
  fixture_create(&f, pairs);
  char   *text = fixture_run(&f, driver, NULL, NULL);
  json_t *row = text ? json_loads(text, 0, NULL) : NULL;
  snprintf(digest, 33, "%s", row ? json_string_value(json_object_get(row, "digest")) : "");
  json_decref(row);
  free(text);
  fixture_destroy(&f);
}

int fixture_rank(void)
{
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

const char *fixture_path(const char *name, char buffer[64])
{
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  snprintf(buffer, 64, "%d_%s.h5", ranks, name);
  return buffer;
}

int fixture_main(int argc, char **argv, int (*run_group)(void))
{
  if (PetscInitialize(&argc, &argv, NULL, NULL) != 0) return 1;
  int failures = run_group();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return PetscFinalize() != 0 || failures > 0;
}
