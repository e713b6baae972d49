/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of plug-ins; see plugin_law.h. Each law of a system has an object of its own. */
#include "model/forces/plugin_law.h"

#include <math.h>
#include <stdio.h>

#include "base/allocate.h"
#include "base/input_file.h"

typedef struct {
  sb_law_method        method;
  const sb_plugin_law *own;
} plugin_method;

typedef struct {
  const sb_plugin_law *own;
  void                *law;
  char                 failed[1024]; /* why; "": never */
} plugin_state;

static bool prepare(void *state, const sb_options *options, sb_diagnostics *diagnostics)
{
  plugin_state        *s = state;
  const plugin_method *method = (const void *)sb_law_method_of(options);
  SB_OWNED char       *text = sb_input_resolve(SB_TEXT(options, plugin_options));
  char                 error[256] = "";
  s->own = method->own;
  s->law = s->own->create_of ? s->own->create_of(s->own->data, text, error, sizeof error)
                             : s->own->create(text, error, sizeof error);
  error[sizeof error - 1] = '\0';
  return s->law || sb_error_at(diagnostics, sb_options_location(options, SB_ID(law)), "E106",
                               "law=%s plugin_options='%s': %s", method->method.name, SB_TEXT(options, plugin_options),
                               *error ? error : "the plug-in rejected its options without a reason");
}

static void evaluate(void *state, const sb_law_points *p)
{
  plugin_state           *s = state;
  const sb_plugin_springs springs = {.size = sizeof springs,
                                     .count = p->count,
                                     .length = p->length,
                                     .stiffness = p->stiffness,
                                     .rest_length = p->rest_length,
                                     .energy = p->energy,
                                     .first = p->first,
                                     .second = p->second};
  const sb_plugin_outcome outcome = s->own->evaluate(s->law, &springs);
  const char             *failed = s->own->failure ? s->own->failure(s->law) : NULL;
  if (*s->failed || (!failed && outcome == SB_PLUGIN_SOLVED)) return; /* the first failure is the cause */
  snprintf(s->failed, sizeof s->failed, "%s", failed ? failed : "the plug-in could not evaluate it");
}

static const char *failure(const void *state)
{
  const plugin_state *s = state;
  return *s->failed ? s->failed : NULL;
}

static void destroy(void *state)
{
  const plugin_state *s = state;
  if (s->law) s->own->destroy(s->law);
}

const sb_entry *sb_plugin_law_method(const sb_plugin_law *own, const char *digest, sb_arena *arena)
{
  plugin_method *made = sb_arena_take(arena, 1, sizeof *made);
  made->own = own;
  made->method = (sb_law_method){.name = own->name,
                                 .summary = own->summary,
                                 .uses = "plugin_options",
                                 .digest = digest,
                                 .claims = own->traits,
                                 .state_bytes = sizeof(plugin_state),
                                 .prepare = prepare,
                                 .evaluate = evaluate,
                                 .bounds = {.least = own->traits & SB_PLUGIN_CONVEX ? 0 : -INFINITY,
                                            .most = own->most > 0 ? own->most : INFINITY,
                                            .softens = !(own->traits & SB_PLUGIN_HARDENS)},
                                 .failure = failure,
                                 .destroy = destroy};
  return &made->method.entry;
}
