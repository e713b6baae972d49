/* Options that no case reads; see plan_unread.h. */
#include "harness/sweep/plan_unread.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

typedef struct {
  sb_location where;
  bool        read;
  char       *value, *readers; /* readers: what the first case that did not read it lacks */
} given;

struct sb_unread {
  bool   watched[SB_OPT_COUNT]; /* those that some names have as their own */
  size_t count[SB_OPT_COUNT];
  given *values[SB_OPT_COUNT]; /* one a place that gives the option */
};

static given *find_given(sb_unread *unread, sb_option_id id, const sb_options *options)
{
  const sb_location where = sb_options_location(options, id);
  const size_t      count = unread->count[id];
  for (size_t i = count; i-- > 0;) { /* neighbours in a plan are of the same place: from the end */
    given *g = &unread->values[id][i];
    if (g->where.line == where.line && g->where.column == where.column && g->where.file == where.file) return g;
  }
  unread->values[id] = sb_grow(unread->values[id], count, sizeof(given));
  unread->values[id][count] = (given){where, false, sb_copy_text(sb_options_text(options, id)), NULL};
  return &unread->values[id][unread->count[id]++];
}

sb_unread *sb_unread_create(const sb_vocabulary *vocabulary)
{
  sb_unread *unread = sb_allocate(1, sizeof *unread);
  for (int id = 0; id < SB_OPT_COUNT; ++id) unread->watched[id] = sb_option_is_owned((sb_option_id)id, vocabulary);
  return unread;
}

void sb_unread_destroy(sb_unread **unread)
{
  if (!*unread) return;
  for (int id = 0; id < SB_OPT_COUNT; ++id) {
    for (size_t i = 0; i < (*unread)->count[id]; ++i) {
      free((*unread)->values[id][i].value);
      free((*unread)->values[id][i].readers);
    }
    free((*unread)->values[id]);
  }
  free(*unread);
  *unread = NULL;
}

void sb_unread_note(sb_unread *unread, const sb_options *options)
{
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (!unread->watched[i] || sb_options_origin(options, id) != SB_FROM_USER) continue;
    given *g = find_given(unread, id, options);
    g->read = g->read || sb_options_read(options, id);
    if (!g->read && !g->readers) g->readers = sb_options_readers(options, id);
  }
}

bool sb_unread_check(const sb_unread *unread, bool overridden, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (int i = 0; i < SB_OPT_COUNT; ++i)
    for (size_t k = 0; k < unread->count[i]; ++k) {
      const given *g = &unread->values[i][k];
      if (g->read || (overridden && g->where.line > 0)) continue;
      good = sb_error_at(diagnostics, g->where, "E106",
                         "%s=%s is read by no case that has it: it takes %s; choose that, or leave it out",
                         sb_option_at((sb_option_id)i)->name, g->value, g->readers);
    }
  return good;
}
