/* Which values of an option the cases of a sweep have, as far as its file says so: axes, and the defaults where a block
 * has no axis of that name. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/sweep.h"

enum { SHOWN_MAX = 8 };

typedef struct {
  sb_option_id id; /* SB_OPT_COUNT: of `method` */
  sb_value     value;
  bool         found, open; /* open: a case may have what no axis and no default says */
  size_t       count;
  const char  *shown[SHOWN_MAX];
} search;

static void look_at(search *s, const char *text)
{
  double number = 0;
  if (s->value.kind == SB_WORD) s->found = s->found || strcmp(text, s->value.word) == 0;
  if (s->value.kind == SB_NUMBER && sb_read_real(text, &number) == SB_NUMBER_READ)
    s->found = s->found || !(number < s->value.number || number > s->value.number);
  for (size_t i = 0; i < s->count && i < SHOWN_MAX; ++i)
    if (strcmp(s->shown[i], text) == 0) return;
  if (s->count < SHOWN_MAX) s->shown[s->count] = text;
  s->count++;
}

static bool look_in_settings(search *s, const sb_settings *settings)
{
  for (size_t i = 0; i < settings->count; ++i) {
    if (settings->ids[i] != s->id) continue;
    look_at(s, settings->values[i]);
    return true;
  }
  return false;
}

static bool look_in_axes(search *s, const sb_block *block)
{
  for (size_t i = 0; i < block->count; ++i) {
    if (block->axes[i].id != s->id) continue;
    for (size_t k = 0; k < block->axes[i].count; ++k) look_at(s, block->axes[i].values[k]);
    return true;
  }
  return false;
}

static char *list_shown(const search *s)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; i < s->count && i < SHOWN_MAX; ++i) fprintf(stream, "%s%s", i ? ", " : "", s->shown[i]);
  if (s->count > SHOWN_MAX) fputs(", …", stream);
  fclose(stream);
  return text;
}

char *sb_sweep_lacks(const sb_sweep *sweep, const char *name, sb_value value)
{
  search               s = {.id = sb_option_find(name), .value = value};
  const bool           method = strcmp(name, "method") == 0;
  const sb_option_kind kind = method || s.id == SB_OPT_COUNT ? SB_KIND_NAME : sb_option_at(s.id)->kind;
  if (!method && s.id == SB_OPT_COUNT) return NULL;
  /* The texts of other kinds are not yet in the form that rows have them in. */
  if (kind != SB_KIND_NAME && kind != SB_KIND_INTEGER && kind != SB_KIND_REAL) return NULL;
  for (size_t m = 0; m < sweep->method_count && !method; ++m) look_in_settings(&s, &sweep->methods[m]);
  s.open = sweep->block_count == 0 && (method || !look_in_settings(&s, &sweep->defaults));
  for (size_t b = 0; b < sweep->block_count; ++b)
    if (!look_in_axes(&s, &sweep->blocks[b]))
      s.open = s.open || method ||
               (!look_in_settings(&s, &sweep->blocks[b].defaults) && !look_in_settings(&s, &sweep->defaults));
  return s.found || s.open || s.count == 0 ? NULL : list_shown(&s);
}
