/* The scenes of a plan before anything runs; see plan.h. Cases are sorted by what decides their scene, files first, so
 * that each scene is built once, and each file is read for the first of its scenes at least. */
#include "harness/sweep/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/scene.h"

static const double vertices_max = 4e6; /* of all scenes together: a second or two */

typedef struct {
  const sb_planned_case *planned;
  char                  *files, *rest; /* the options that decide the scene, as text */
  size_t                 number;
} subject;

static bool is_file(sb_option_id id)
{
  return id == SB_OPT_mesh || id == SB_OPT_vertex_data || id == SB_OPT_spring_data;
}

static bool shapes_scene(sb_option_id id)
{
  return id == SB_OPT_scene || id == SB_OPT_wind || (id >= SB_OPT_nodes && id <= SB_OPT_merge_duplicates);
}

static char *join_options(const sb_options *options, bool files, sb_arena *arena)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (shapes_scene(id) && is_file(id) == files) fprintf(stream, "%s\n", sb_options_text(options, id));
  }
  return sb_arena_text(&writer);
}

static int compare(const void *a, const void *b)
{
  const subject *x = a, *y = b;
  int            order = strcmp(x->files, y->files);
  if (order == 0) order = strcmp(x->rest, y->rest);
  return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* What a scene without a file will have; 0 where only its building tells. */
static double vertices_of(const sb_options *options)
{
  if (sb_options_has(options, SB_OPT_subdivisions)) return 10 * pow(4, (double)SB_INTEGER(options, subdivisions)) + 2;
  if (sb_options_has(options, SB_OPT_nodes)) return (double)SB_INTEGER(options, nodes);
  if (!sb_options_has(options, SB_OPT_grid)) return 0;
  const double edge = (double)SB_INTEGER(options, grid) + 1;
  return SB_IS(options, scene, "bar") ? 5 * edge * edge * edge : edge * edge;
}

/* The cases from `first` on that have its scene. */
static size_t count_alike(const subject *subjects, size_t count)
{
  size_t alike = 1;
  while (alike < count && strcmp(subjects[alike].files, subjects[0].files) == 0 &&
         strcmp(subjects[alike].rest, subjects[0].rest) == 0)
    ++alike;
  return alike;
}

static void check_drivers(const subject *subjects, size_t count, const sb_driver_list *drivers, const sb_pose *pose,
                          sb_diagnostics *diagnostics)
{
  for (size_t i = 0; i < count; ++i) {
    const sb_planned_case *planned = subjects[i].planned;
    const sb_driver       *driver = sb_driver_find(drivers, SB_TEXT(planned->options, driver));
    const sb_case          c = {.options = planned->options, .time = planned->time};
    sb_diagnostics        *found = sb_diagnostics_create();
    if (driver && driver->check && !driver->check(&c, pose, found)) sb_diagnostics_join(diagnostics, found);
    sb_diagnostics_destroy(&found);
  }
}

/* Gives how many vertices the scene has. */
static double check_scene(const subject *subjects, size_t count, const sb_driver_list *drivers,
                          sb_diagnostics *diagnostics)
{
  sb_pose         pose = {0};
  sb_diagnostics *found = sb_diagnostics_create();
  if (sb_scene_build(subjects[0].planned->options, &pose, found))
    check_drivers(subjects, count, drivers, &pose, diagnostics);
  sb_diagnostics_join(diagnostics, found);
  const double vertices = (double)pose.vertices;
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&found);
  return vertices;
}

static subject *list_subjects(const sb_plan *plan, sb_arena *arena, size_t *count)
{
  subject *subjects = sb_arena_take(arena, plan->count, sizeof *subjects);
  *count = 0;
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_options *options = plan->cases[i].options;
    if (plan->cases[i].skipped || !sb_scene_find(SB_TEXT(options, scene))) continue;
    subjects[(*count)++] =
        (subject){&plan->cases[i], join_options(options, true, arena), join_options(options, false, arena), i};
  }
  qsort(subjects, *count, sizeof *subjects, compare);
  return subjects;
}

static void check_ranks(const sb_plan *plan, sb_diagnostics *diagnostics)
{
  sb_diagnostics *found = sb_diagnostics_create();
  for (size_t i = 0; i < plan->count && sb_diagnostics_errors(found) == 0; ++i)
    if (!plan->cases[i].skipped) sb_case_check_ranks(plan->cases[i].options, found);
  sb_diagnostics_join(diagnostics, found);
  sb_diagnostics_destroy(&found);
}

bool sb_plan_check_scenes(const sb_plan *plan, const sb_session *session)
{
  sb_diagnostics *diagnostics = session->diagnostics;
  const size_t    before = sb_diagnostics_errors(diagnostics);
  size_t          count = 0;
  double          vertices = 0;
  sb_arena       *scratch = sb_arena_create();
  subject        *subjects = list_subjects(plan, scratch, &count);
  check_ranks(plan, diagnostics);
  for (size_t i = 0, alike; i < count && sb_diagnostics_errors(diagnostics) < SB_DIAGNOSTICS_MAX; i += alike) {
    const subject *first = &subjects[i];
    const bool     new_files =
        i == 0 ? strspn(first->files, "\n") < strlen(first->files) : strcmp(subjects[i - 1].files, first->files) != 0;
    alike = count_alike(first, count - i);
    if (new_files || vertices + vertices_of(first->planned->options) <= vertices_max)
      vertices += check_scene(first, alike, session->drivers, diagnostics);
  }
  sb_arena_destroy(&scratch);
  return sb_diagnostics_errors(diagnostics) == before;
}
