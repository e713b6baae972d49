/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See case_identity.h. */
#include "harness/sweep/case_identity.h"

#include <math.h>
#include <string.h>

#include "model/scene/scene.h"

static const double rounding = 1e-14;   /* relative, of a number that is stated in two ways */
static const double vertices_max = 4e6; /* larger scenes are not built for a comparison */

static sb_stated stated_by(sb_option_id id)
{
  const unsigned traits = sb_option_at(id)->traits;
  return traits & SB_STATES_TIME          ? SB_STATED_TIME
         : traits & SB_STATES_MASSES      ? SB_STATED_MASSES
         : traits & SB_STATES_STIFFNESSES ? SB_STATED_STIFFNESSES
                                          : SB_STATED_KINDS;
}

/* ---- one option ---- */

/* Tells whether a case uses sums or factors of numerical libraries, whose last bits depend on the number of threads. */
static bool solves(const sb_options *options)
{
  bool solved = false;
  for (sb_option_id id = 0; id < sb_option_count && !solved; ++id)
    solved = sb_option_at(id)->traits & SB_SOLVES_SYSTEMS && sb_options_read(options, id);
  return solved;
}

static bool counts(const sb_case_identity *c, sb_option_id id)
{
  const sb_options *options = c->planned->options;
  if (sb_option_at(id)->traits & (SB_NOT_IN_KEY | SB_STANDS_FOR_OTHERS)) return false;
  if (sb_option_at(id)->traits & SB_SHARES_WORK) return c->timed || solves(options);
  return sb_options_read(options, id);
}

/* The digest of the file that an option names; NULL: it names none, or the digest is unknown. */
static const char *content_of(const sb_planned_case *c, sb_option_id id)
{
  for (size_t i = 0; i < SB_INPUT_OPTIONS; ++i)
    if (sb_input_options[i] == id) return c->inputs[i];
  return NULL;
}

/* The meaning of an option in this case; NULL: it is not set. */
static const char *meaning(const sb_planned_case *c, sb_option_id id, sb_arena *arena)
{
  const char *content = content_of(c, id);
  if (!sb_options_has(c->options, id)) return NULL;
  if (content) return content;
  const char *formed = sb_arena_adopt(arena, sb_case_option_meaning(c->options, id));
  return formed ? formed : sb_options_text(c->options, id);
}

sb_case_identity sb_case_identity_of(const sb_planned_case *c, bool timed, sb_arena *arena)
{
  sb_case_identity identity = {.planned = c, .timed = timed};
  sb_arena_writer  writers[SB_STATED_KINDS + 1]; /* the last: for options stated in one way only */
  FILE            *streams[SB_STATED_KINDS + 1];
  for (int k = 0; k <= SB_STATED_KINDS; ++k) streams[k] = sb_arena_write(&writers[k], arena);
  unsigned number[SB_STATED_KINDS + 1] = {0}; /* number of an option among those that state the same */
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const sb_stated kind = stated_by(id);
    if (kind < SB_STATED_KINDS) identity.given[kind] |= (unsigned)sb_options_has(c->options, id) << number[kind]++;
    /* A default needs no text: a different text in another case is a different value. This test is the fastest. */
    const char *preset = sb_option_at(id)->preset;
    const bool  usual = preset && strcmp(sb_options_text(c->options, id), preset) == 0;
    const bool  told = sb_options_has(c->options, id) && !usual && counts(&identity, id);
    const char *text = told ? meaning(c, id, arena) : NULL;
    if (text) fprintf(streams[kind], "%s=%s ", sb_option_at(id)->name, text);
  }
  for (int k = 0; k < SB_STATED_KINDS; ++k) identity.stated[k] = sb_arena_text(&writers[k]);
  sb_digest_of_text(sb_arena_text(&writers[SB_STATED_KINDS]), identity.plain);
  return identity;
}

/* ---- what can be stated in several ways ---- */

static bool is_close(double a, double b) { return fabs(a - b) <= rounding * fmax(fabs(a), fabs(b)); }

static bool all_close(size_t count, const double *a, const double *b)
{
  size_t i = 0;
  while (i < count && is_close(a[i], b[i])) ++i;
  return i == count;
}

static bool has_equal_text(const sb_case_identity *a, const sb_case_identity *b, sb_stated kind)
{
  return strcmp(a->stated[kind], b->stated[kind]) == 0;
}

static bool has_equal_time(const sb_case_identity *a, const sb_case_identity *b)
{
  const sb_time_grid *x = &a->planned->time, *y = &b->planned->time;
  return x->steps > 0 && x->steps == y->steps && x->steps_per_frame == y->steps_per_frame &&
         is_close(x->h_seconds, y->h_seconds);
}

/* Tells whether the scenes of both have the same masses or stiffnesses. The scenes are built for this, as the vertices
 * share the total mass, and k = Y/l depends on lengths. */
static bool have_equal_scenes(const sb_case_identity *a, const sb_case_identity *b, sb_stated kind)
{
  const sb_case_identity *both[] = {a, b};
  sb_pose                 pose[2] = {0};
  bool                    equal = true;
  for (int i = 0; i < 2 && equal; ++i)
    equal = sb_scene_vertices(both[i]->planned->options) <= vertices_max &&
            sb_scene_build(both[i]->planned->options, &pose[i], NULL);
  equal = equal && pose[0].vertices == pose[1].vertices && pose[0].springs == pose[1].springs;
  if (equal && kind == SB_STATED_MASSES) equal = all_close(pose[0].vertices, pose[0].mass, pose[1].mass);
  if (equal && kind == SB_STATED_STIFFNESSES) equal = all_close(pose[0].springs, pose[0].stiffness, pose[1].stiffness);
  for (int i = 0; i < 2; ++i) sb_pose_clear(&pose[i]);
  return equal;
}

/* Different values of the same options are different physics. */
static bool may_be_equal(const sb_case_identity *a, const sb_case_identity *b, sb_stated kind)
{
  return has_equal_text(a, b, kind) ||
         (kind == SB_STATED_TIME ? has_equal_time(a, b) : a->given[kind] != b->given[kind]);
}

bool sb_case_identity_equal(const sb_case_identity *a, const sb_case_identity *b)
{
  bool equal = strcmp(a->plain, b->plain) == 0;
  for (sb_stated kind = 0; kind < SB_STATED_KINDS && equal; ++kind) equal = may_be_equal(a, b, kind);
  for (sb_stated kind = SB_STATED_MASSES; kind < SB_STATED_KINDS && equal; ++kind)
    equal = has_equal_text(a, b, kind) || have_equal_scenes(a, b, kind);
  return equal;
}

/* ---- a difference in words ---- */

/* Tells whether one of the others states the same, possibly in another way. Scenes are not built for cases that differ
 * otherwise, nor twice for the same text. */
static bool states_the_same(const sb_case_identity *given, const sb_case_identity *others, size_t count, sb_stated kind)
{
  const char *tried = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (has_equal_text(given, &others[i], kind)) return true;
    if (!may_be_equal(given, &others[i], kind) || (tried && strcmp(tried, others[i].stated[kind]) == 0)) continue;
    if (kind == SB_STATED_TIME) return true;
    if (strcmp(given->plain, others[i].plain) != 0) continue;
    tried = others[i].stated[kind];
    if (have_equal_scenes(given, &others[i], kind)) return true;
  }
  return false;
}

/* Tells whether none of the others has the value of an option in the case, if it counts. *other: the text of the first
 * that has one; NULL: none has. */
static bool differs(const sb_case_identity *given, const sb_case_identity *others, size_t count, sb_option_id id,
                    sb_arena *arena, const char **other)
{
  const char *own = meaning(given->planned, id, arena);
  bool        differ = true;
  for (size_t i = 0; i < count && differ; ++i) {
    const char *its = meaning(others[i].planned, id, arena);
    differ = (own && its ? strcmp(own, its) != 0 : own || its) && (counts(given, id) || counts(&others[i], id));
    if (!*other && its) *other = sb_options_text(others[i].planned->options, id);
  }
  return differ;
}

const char *sb_case_identity_difference(const sb_case_identity *given, const sb_case_identity *others, size_t count,
                                        sb_arena *arena)
{
  const sb_options *options = given->planned->options;
  const char       *told = "";
  const char       *instead[SB_STATED_KINDS][2]; /* options that only the case has, and that only the others have */
  bool              same[SB_STATED_KINDS + 1] = {false};
  for (sb_stated kind = 0; kind < SB_STATED_KINDS; ++kind) {
    same[kind] = states_the_same(given, others, count, kind);
    instead[kind][0] = instead[kind][1] = "";
  }
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const sb_stated kind = stated_by(id);
    const char     *name = sb_option_at(id)->name, *other = NULL;
    const char     *own = sb_options_has(options, id) ? sb_options_text(options, id) : NULL;
    if (same[kind] || sb_option_at(id)->traits & (SB_NOT_IN_KEY | SB_STANDS_FOR_OTHERS)) continue;
    if (!differs(given, others, count, id, arena, &other)) continue;
    if (kind < SB_STATED_KINDS && !(own && other)) {
      const char **list = &instead[kind][!own];
      *list = sb_arena_join(arena, *list, " ", "%s=%.40s", name, own ? own : other);
    } else if (own && other && strcmp(own, other) == 0) {
      told = sb_arena_join(arena, told, ", ", "%s=%.40s of other content", name, own);
    } else {
      told = sb_arena_join(arena, told, ", ", "%s=%.40s in place of %.40s", name, own ? own : "unset",
                           other ? other : "unset");
    }
  }
  for (int kind = 0; kind < SB_STATED_KINDS; ++kind)
    if (*instead[kind][0] || *instead[kind][1])
      told = sb_arena_join(arena, told, ", ", "%s in place of %s", *instead[kind][0] ? instead[kind][0] : "unset",
                           *instead[kind][1] ? instead[kind][1] : "unset");
  return told;
}
