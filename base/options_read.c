/* Which options a case reads; see options.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/options.h"
#include "base/words.h"

/* The family whose names an option takes and which have options of their own, or NULL. */
static const sb_family *chosen_from(const sb_vocabulary *vocabulary, sb_option_id selector)
{
  const char *range = sb_option_at(selector)->range;
  if (!vocabulary || *range != '@') return NULL;
  for (size_t f = 0; f < vocabulary->count; ++f)
    if (vocabulary->families[f].uses && strcmp(vocabulary->families[f].family, range + 1) == 0)
      return &vocabulary->families[f];
  return NULL;
}

static bool is_owner(const sb_family *family, size_t name, sb_option_id id)
{
  return sb_has_word(family->uses[name], sb_option_at(id)->name);
}

static bool has_owner(const sb_family *family, sb_option_id id)
{
  for (size_t n = 0; n < family->count; ++n)
    if (is_owner(family, n, id)) return true;
  return false;
}

/* The number of the name chosen; family->count where it is none of them. */
static size_t chosen(const sb_options *options, const sb_family *family, sb_option_id selector)
{
  size_t n = 0;
  while (n < family->count && strcmp(family->names[n], sb_options_text(options, selector)) != 0) ++n;
  return n;
}

static bool owner_is_chosen(const sb_options *options, const sb_family *family, sb_option_id selector, sb_option_id id)
{
  const size_t n = chosen(options, family, selector);
  return n < family->count && is_owner(family, n, id);
}

const char *sb_options_defaults(const sb_options *options, sb_option_id selector)
{
  const sb_family *family = chosen_from(sb_options_vocabulary(options), selector);
  const size_t     n = family ? chosen(options, family, selector) : 0;
  return family && family->defaults && n < family->count && family->defaults[n] ? family->defaults[n] : "";
}

bool sb_option_is_owned(sb_option_id id, const sb_vocabulary *vocabulary)
{
  if (vocabulary && vocabulary->owned) return vocabulary->owned[id];
  for (int s = 0; s < SB_OPT_COUNT; ++s) {
    const sb_family *family = chosen_from(vocabulary, (sb_option_id)s);
    if (family && has_owner(family, id)) return true;
  }
  return false;
}

bool sb_options_read(const sb_options *options, sb_option_id id)
{
  const sb_vocabulary *vocabulary = sb_options_vocabulary(options);
  const bool           owned = sb_option_is_owned(id, vocabulary);
  for (int s = 0; s < SB_OPT_COUNT && owned; ++s) {
    const sb_option_id selector = (sb_option_id)s;
    const sb_family   *family = chosen_from(vocabulary, selector);
    if (family && owner_is_chosen(options, family, selector, id) && sb_options_read(options, selector)) return true;
  }
  return !owned;
}

/* "linear=petsc or jacobi", or nothing where an owner is chosen already; then, where the selector is not read either,
 * what would make it so. */
static void put_choice(const sb_options *options, const sb_family *family, sb_option_id selector, sb_option_id id,
                       FILE *stream)
{
  const bool met = owner_is_chosen(options, family, selector, id), read = sb_options_read(options, selector);
  size_t     count = 0;
  for (size_t n = 0; n < family->count && !met; ++n) {
    if (!is_owner(family, n, id)) continue;
    fputs(count == 0 ? sb_option_at(selector)->name : " or ", stream);
    fprintf(stream, "%s%s", count++ == 0 ? "=" : "", family->names[n]);
  }
  if (read) return;
  char *first = sb_options_readers(options, selector);
  fprintf(stream, "%s%s", met ? "" : " with ", first);
  free(first);
}

/* Is a name chosen that would read it, were its selector read? */
static bool has_chosen_owner(const sb_options *options, sb_option_id id)
{
  for (int s = 0; s < SB_OPT_COUNT; ++s) {
    const sb_family *family = chosen_from(sb_options_vocabulary(options), (sb_option_id)s);
    if (family && owner_is_chosen(options, family, (sb_option_id)s, id)) return true;
  }
  return false;
}

/* The nearest choice first: options.def has drivers before integrators, minimisers and linear solvers. If an owner is
 * already chosen, the choices of others do not matter. */
char *sb_options_readers(const sb_options *options, sb_option_id id)
{
  char      *text = NULL;
  size_t     length = 0, count = 0;
  FILE      *stream = sb_text_stream(&text, &length);
  const bool chosen_only = has_chosen_owner(options, id);
  for (int s = SB_OPT_COUNT; s-- > 0;) {
    const sb_family *family = chosen_from(sb_options_vocabulary(options), (sb_option_id)s);
    if (!family || !has_owner(family, id)) continue;
    if (chosen_only && !owner_is_chosen(options, family, (sb_option_id)s, id)) continue;
    fputs(count++ > 0 ? ", or " : "", stream);
    put_choice(options, family, (sb_option_id)s, id, stream);
  }
  fclose(stream);
  return text;
}
