/* The cases of a results directory held against those that its sweep file makes; see claim_cases.h.
 *
 * Cases are compared by their options and not by their keys alone: a key changes when a later version knows an option
 * more, of which both cases have the default. */
#include "harness/report/claim_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/text.h"

typedef struct {
  const sb_plan *own;   /* what the sweep file makes */
  bool           timed; /* the claim is on times */
} view;

static bool counts(const view *v, sb_option_id id)
{
  if (sb_option_at(id)->traits & SB_NOT_IN_KEY) return false;
  return v->timed || (id != SB_OPT_ranks && id != SB_OPT_threads);
}

/* What only one of them has says nothing. */
static bool is_alike(const sb_options *a, const sb_options *b, sb_option_id id)
{
  return !sb_options_has(a, id) || !sb_options_has(b, id) ||
         strcmp(sb_options_text(a, id), sb_options_text(b, id)) == 0;
}

static bool is_same(const view *v, const sb_planned_case *a, const sb_planned_case *b)
{
  if (strcmp(a->key, b->key) == 0) return true;
  for (int id = 0; id < SB_OPT_COUNT; ++id)
    if (counts(v, (sb_option_id)id) && !is_alike(a->options, b->options, (sb_option_id)id)) return false;
  return true;
}

/* `number` is its place among what is stored, which is its place in the sweep too unless cases were left out. */
static bool is_own(const view *v, const sb_planned_case *c, size_t number)
{
  if (number < v->own->count && strcmp(v->own->cases[number].key, c->key) == 0) return true;
  for (size_t i = 0; i < v->own->count; ++i)
    if (is_same(v, c, &v->own->cases[i])) return true;
  return false;
}

/* Whether a case of the sweep before its i-th has the same text there. */
static bool is_told(const view *v, size_t i, sb_option_id id)
{
  for (size_t j = 0; j < i; ++j)
    if (is_alike(v->own->cases[j].options, v->own->cases[i].options, id)) return true;
  return false;
}

enum { VALUES_TOLD = 3 };

/* "substeps=5000 in place of 9, 10, 4, …" */
static void put_option(const view *v, FILE *stream, const sb_options *given, sb_option_id id)
{
  size_t told = 0;
  fprintf(stream, "%s%s=%.40s in place of ", ftell(stream) > 0 ? ", " : "", sb_option_at(id)->name,
          sb_options_text(given, id));
  for (size_t i = 0; i < v->own->count && told <= VALUES_TOLD; ++i) {
    if (is_told(v, i, id) || !sb_options_has(v->own->cases[i].options, id)) continue;
    const char *text = told < VALUES_TOLD ? sb_options_text(v->own->cases[i].options, id) : "…";
    fprintf(stream, "%s%.40s", told > 0 ? ", " : "", text);
    told++;
  }
}

/* Options of which the sweep has no such value; time that a scene derives from another is told by what was given. */
static void put_difference(const view *v, FILE *stream, const sb_options *given)
{
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    bool               found = !counts(v, id) || !sb_options_has(given, id);
    for (size_t j = 0; j < v->own->count && !found; ++j) found = is_alike(given, v->own->cases[j].options, id);
    if (!found && sb_options_origin(given, id) == SB_FROM_USER) put_option(v, stream, given, id);
  }
  if (ftell(stream) == 0) fputs("values in another combination than the sweep's", stream);
}

static size_t keep_own(const view *v, const sb_results *results, bool *selected, char difference[SB_DIFFERENCE_SIZE])
{
  size_t left = 0;
  for (size_t i = 0; i < results->plan->count; ++i) {
    const sb_planned_case *c = &results->plan->cases[i];
    if (!selected[i]) continue;
    selected[i] = is_own(v, c, i);
    left += selected[i];
    if (selected[i] || *difference) continue;
    char  *text = NULL;
    size_t length = 0;
    FILE  *stream = sb_text_stream(&text, &length);
    put_difference(v, stream, c->options);
    fclose(stream);
    snprintf(difference, SB_DIFFERENCE_SIZE, "%s", text);
    free(text);
  }
  return left;
}

sb_plan *sb_claim_own_plan(const sb_results *results)
{
  const sb_plan *stored = results->plan;
  const size_t   rows = sb_rows_count(results->rows);
  if (!stored || stored->count != rows || rows == 0) return NULL;
  sb_session silent = results->session;
  silent.diagnostics = NULL;
  return sb_plan_create(results->sweep, NULL, &silent);
}

size_t sb_claim_own_cases(const sb_results *results, const sb_plan *own, const sb_claim *claim, bool *selected,
                          char difference[SB_DIFFERENCE_SIZE])
{
  const view v = {.own = own, .timed = claim->kind == SB_CLAIM_TIME};
  size_t     left = 0;
  difference[0] = '\0';
  if (own) return keep_own(&v, results, selected, difference);
  for (size_t i = 0; i < sb_rows_count(results->rows); ++i) left += selected[i];
  return left;
}
