/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenes of a plan before anything runs; see plan.h. Cases are sorted by the options of their net, files first:
 * each net is built once, and each file is read for at least the first of its nets. */
#include "base/allocate.h"
#include "harness/sweep/plan.h"

#include <stdlib.h>
#include <string.h>

#include "model/scene/scene.h"

static const double vertices_max = 4e6; /* of all scenes together: a second or two */

typedef struct {
  const sb_planned_case *planned;
  const char *files, *scene; /* as text, the options that name files of the net, and then all that decide it */
} subject;

static int compare(const void *a, const void *b)
{
  const subject *x = a, *y = b;
  const int      order = strcmp(x->scene, y->scene);
  return order ? order : (x->planned > y->planned) - (x->planned < y->planned);
}

/* Builds the net of some cases, and checks each of them on it. Returns how many vertices it has. */
static double check_scene(const subject *subjects, size_t count, const sb_vocabulary *vocabulary,
                          sb_diagnostics *diagnostics)
{
  sb_pose                                             pose = {0};
  sb_pose_facts                                       facts = {0};
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *found = sb_diagnostics_create();
  const bool built = sb_scene_build_net(subjects[0].planned->options, &pose, found);
  for (size_t i = 0; built && i < count; ++i) {
    const sb_planned_case *planned = subjects[i].planned;
    const sb_driver       *driver = sb_driver_find(vocabulary, SB_TEXT(planned->options, driver));
    const sb_case          c = {.options = planned->options, .time = planned->time};
    sb_diagnostics        *said = sb_diagnostics_create();
    const bool             good = sb_scene_check(c.options, &pose, &facts, said);
    sb_diagnostics_join(found, said);
    sb_diagnostics_destroy(&said);
    said = sb_diagnostics_create();
    if (good && driver && driver->check && !driver->check(&c, &pose, said)) sb_diagnostics_join(found, said);
    sb_diagnostics_destroy(&said);
  }
  sb_diagnostics_join(diagnostics, found);
  const double vertices = (double)pose.vertices;
  sb_pose_clear(&pose);
  return vertices;
}

bool sb_plan_check_scenes(const sb_plan *plan, const sb_session *session)
{
  sb_diagnostics                         *diagnostics = session->diagnostics;
  const size_t                            before = sb_diagnostics_errors(diagnostics);
  size_t                                  count = 0, end = 0;
  double                                  vertices = 0;
  SB_ENDED_BY(sb_arena_destroy) sb_arena *scratch = sb_arena_create();
  subject                                *subjects = sb_arena_take(scratch, plan->count, sizeof *subjects);
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_options *options = plan->cases[i].options;
    if (plan->cases[i].skipped || !sb_scene_find(SB_TEXT(options, scene))) continue;
    const char     *files = "";
    sb_arena_writer writer;
    for (size_t k = 0; k < SB_INPUT_OPTIONS; ++k)
      if (sb_option_at(sb_input_options[k])->traits & SB_OF_NET)
        files = sb_arena_format(scratch, "%s%s\n", files, sb_options_text(options, sb_input_options[k]));
    FILE *stream = sb_arena_write(&writer, scratch);
    fputs(files, stream);
    for (sb_option_id id = 0; id < sb_option_count; ++id)
      if (sb_option_at(id)->traits & SB_OF_NET) fprintf(stream, "%s\n", sb_options_text(options, id));
    subjects[count++] = (subject){&plan->cases[i], files, sb_arena_text(&writer)};
  }
  qsort(subjects, count, sizeof *subjects, compare);
  for (size_t i = 0; i < count && sb_diagnostics_errors(diagnostics) < SB_DIAGNOSTICS_MAX; i = end) {
    const subject *first = &subjects[i];
    const bool     new_files =
        i == 0 ? strspn(first->files, "\n") < strlen(first->files) : strcmp(subjects[i - 1].files, first->files) != 0;
    for (end = i + 1; end < count && strcmp(first->scene, subjects[end].scene) == 0;) ++end;
    if (new_files || vertices + sb_scene_vertices(first->planned->options) <= vertices_max)
      vertices += check_scene(first, end - i, session->vocabulary, diagnostics);
  }
  return sb_diagnostics_errors(diagnostics) == before;
}
