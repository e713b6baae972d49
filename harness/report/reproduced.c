/* Findings and claims brought together; see reproduced.h. */
#include "harness/report/reproduced.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/data_directory.h"
#include "harness/report/report_text.h"
#include "harness/results/results_folders.h"

typedef struct {
  sb_reproduction *r;
  bool             count_time;
} collection;

static char *copy(const char *text) { return text ? sb_copy_text(text) : NULL; }

static void add_claim(collection *c, const sb_results *results, size_t folder, size_t number, const sb_verdict *verdict)
{
  sb_reproduction *r = c->r;
  const sb_claim  *claim = &results->sweep->claims[number];
  sb_judged_claim  judged = {.folder = folder, .kind = claim->kind, .verdict = *verdict};
  judged.claim = copy(claim->claim);
  judged.finding = copy(claim->finding);
  judged.contradicted = copy(claim->contradicted);
  judged.fails = sb_claim_fails(claim, judged.verdict.kind, c->count_time);
  r->claims = sb_grow(r->claims, r->claim_count, sizeof *r->claims);
  r->claims[r->claim_count++] = judged;
}

static void add_claims(collection *c, const sb_results *results, size_t folder)
{
  sb_verdict *verdicts = sb_claims_judge(results);
  for (size_t i = 0; i < results->sweep->claim_count; ++i) add_claim(c, results, folder, i, &verdicts[i]);
  free(verdicts);
}

/* " [id](folder/subfolder/id.suffix)" where that file is there. */
static void put_link(FILE *stream, const char *parent, const char *folder, const char *file, const char *id)
{
  char *path = sb_format("%s/%s/%s", parent, folder, file);
  if (access(path, F_OK) == 0) {
    fprintf(stream, " [");
    sb_text_put_markdown(stream, id);
    fprintf(stream, "](%s/%s)", folder, file);
  }
  free(path);
}

static char *links_of(const char *parent, const char *folder, const sb_sweep *sweep)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; i < sweep->table_count; ++i) {
    char *file = sb_format("tables/%s.md", sweep->tables[i].id);
    put_link(stream, parent, folder, file, sweep->tables[i].id);
    free(file);
  }
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    char *file = sb_format("figures/%s.svg", sweep->figures[i].id);
    put_link(stream, parent, folder, file, sweep->figures[i].id);
    free(file);
  }
  fclose(stream);
  return text;
}

static void add_folder(void *context, const char *folder)
{
  collection      *c = context;
  sb_reproduction *r = c->r;
  char            *path = sb_format("%s/%s", r->parent, folder);
  sb_session       own = sb_session_begin(r->session->vocabulary, r->session->drivers);
  sb_results      *results = sb_results_open(path, &own);
  sb_judged_folder judged = {.folder = sb_copy_text(folder), .counts = true};
  if (results) {
    judged.name = copy(results->sweep->name);
    judged.quick = results->quick;
    judged.links = links_of(r->parent, folder, results->sweep);
    add_claims(c, results, r->folder_count);
  } else
    judged.error = copy(sb_diagnostics_message(own.diagnostics, 0));
  r->folders = sb_grow(r->folders, r->folder_count, sizeof *r->folders);
  r->folders[r->folder_count++] = judged;
  sb_session_end(&own, NULL);
  free(path);
}

/* A quick part says nothing beside the whole. */
static void prefer_whole_sweeps(sb_reproduction *r)
{
  for (size_t i = 0; i < r->folder_count; ++i)
    for (size_t j = 0; j < r->folder_count; ++j) {
      const sb_judged_folder *part = &r->folders[i], *whole = &r->folders[j];
      if (part->quick && !whole->quick && part->name && whole->name && strcmp(part->name, whole->name) == 0)
        r->folders[i].counts = false;
    }
}

sb_reproduction *sb_reproduction_create(const char *parent, const sb_session *session, bool count_time)
{
  char                error[SB_ERROR_SIZE] = "", *published = sb_data_directory("results/published");
  sb_published_table *findings = sb_published_read(published, "findings", error);
  free(published);
  if (!findings) {
    fprintf(stderr, "springbench: %s\n", error);
    return NULL;
  }
  sb_reproduction *r = sb_allocate(1, sizeof *r);
  collection       c = {r, count_time};
  *r = (sb_reproduction){.parent = sb_copy_text(parent), .findings = findings, .session = session};
  sb_results_folders(parent, add_folder, &c);
  prefer_whole_sweeps(r);
  return r;
}

void sb_reproduction_destroy(sb_reproduction **reproduction)
{
  sb_reproduction *r = *reproduction;
  if (!r) return;
  for (size_t i = 0; i < r->claim_count; ++i) {
    free(r->claims[i].claim);
    free(r->claims[i].finding);
    free(r->claims[i].contradicted);
  }
  for (size_t i = 0; i < r->folder_count; ++i) {
    free(r->folders[i].folder);
    free(r->folders[i].name);
    free(r->folders[i].links);
    free(r->folders[i].error);
  }
  sb_published_destroy(&r->findings);
  free(r->claims);
  free(r->folders);
  free(r->parent);
  free(r);
  *reproduction = NULL;
}

bool sb_finding_has(const sb_reproduction *r, size_t row, size_t i)
{
  const sb_judged_claim *claim = &r->claims[i];
  return claim->finding && r->folders[claim->folder].counts &&
         strcmp(claim->finding, sb_published_text(r->findings, row, "id")) == 0;
}

bool sb_reproduction_says_something(const sb_reproduction *r)
{
  for (size_t row = 1; row < r->findings->rows; ++row)
    for (size_t i = 0; i < r->claim_count; ++i)
      if (sb_finding_has(r, row, i)) return true;
  return false;
}

sb_claim_kind sb_finding_kind(const sb_reproduction *r, size_t row)
{
  const char *word = sb_published_text(r->findings, row, "kind");
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind)
    if (strcmp(word, sb_claim_kind_word((sb_claim_kind)kind)) == 0) return (sb_claim_kind)kind;
  return SB_CLAIM_EXACT;
}

const char *sb_finding_word(sb_finding_verdict verdict)
{
  static const char *const words[SB_FINDING_VERDICTS] = {
      [SB_FINDING_REPRODUCED] = "reproduced",         [SB_FINDING_SOME_REPRODUCED] = "reproduced in part",
      [SB_FINDING_IN_PART] = "contradicted in part",  [SB_FINDING_CONTRADICTED] = "contradicted",
      [SB_FINDING_NOT_REPRODUCED] = "NOT REPRODUCED", [SB_FINDING_NOT_COMPARABLE] = "not comparable",
      [SB_FINDING_NOT_TESTED] = "not tested"};
  return words[verdict];
}

static bool is_listed(const sb_vocabulary *vocabulary, const char *family, const char *name)
{
  for (size_t i = 0; vocabulary && i < vocabulary->count; ++i) {
    const sb_family *f = &vocabulary->families[i];
    for (size_t j = 0; strcmp(f->family, family) == 0 && j < f->count; ++j)
      if (strcmp(f->names[j], name) == 0) return true;
  }
  return !vocabulary;
}

/* The first "option=name" of `needs` that no list has (malloc'ed), NULL: all there. */
static char *missing_method(const sb_reproduction *r, const char *needs)
{
  char *list = sb_copy_text(needs), *rest = list, *found = NULL;
  for (char *word; !found && (word = strsep(&rest, " "));) {
    char *name = strchr(word, '=');
    if (!name) continue;
    *name++ = '\0';
    const sb_option_id id = sb_option_find(word);
    const char        *range = id == SB_OPT_COUNT ? "" : sb_option_at(id)->range;
    if (!range || range[0] != '@' || !is_listed(r->session->vocabulary, range + 1, name))
      found = sb_format("%s %s", word, name);
  }
  free(list);
  return found;
}

/* What a finding of kind time says is tested by claims on times alone. */
static bool decides(const sb_reproduction *r, size_t row, size_t i)
{
  return sb_finding_kind(r, row) != SB_CLAIM_TIME || r->claims[i].kind == SB_CLAIM_TIME;
}

/* Why nothing could be said: the reason of the first claim that could have. */
static char *why_untested(const sb_reproduction *r, size_t row)
{
  char *missing = missing_method(r, sb_published_text(r->findings, row, "needs")), *why = NULL;
  if (missing) why = sb_format("no such method yet (%s)", missing);
  free(missing);
  for (size_t i = 0; !why && i < r->claim_count; ++i)
    if (sb_finding_has(r, row, i) && decides(r, row, i)) why = sb_copy_text(r->claims[i].verdict.detail);
  return why ? why : sb_copy_text("no sweep that claims it has run");
}

sb_finding_verdict sb_finding_judge(const sb_reproduction *r, size_t row, char **why)
{
  size_t      counts[SB_NOT_TESTED + 1] = {0}, decided = 0;
  const char *reason = sb_published_text(r->findings, row, "not_comparable");
  *why = NULL;
  for (size_t i = 0; i < r->claim_count; ++i)
    if (sb_finding_has(r, row, i)) {
      counts[r->claims[i].verdict.kind]++;
      decided += decides(r, row, i) && r->claims[i].verdict.kind == SB_REPRODUCED;
    }
  if (*reason) *why = sb_copy_text(reason);
  if (counts[SB_NOT_REPRODUCED] + counts[SB_CONTRADICTION_GONE] > 0) return SB_FINDING_NOT_REPRODUCED;
  if (*reason) return SB_FINDING_NOT_COMPARABLE;
  if (counts[SB_CONTRADICTED] > 0) return counts[SB_REPRODUCED] > 0 ? SB_FINDING_IN_PART : SB_FINDING_CONTRADICTED;
  if (decided > 0 && counts[SB_NOT_TESTED] == 0) return SB_FINDING_REPRODUCED;
  if (decided > 0) {
    const size_t tested = counts[SB_REPRODUCED], all = tested + counts[SB_NOT_TESTED];
    *why = sb_format("%zu of %zu claims; %s not tested", tested, all, all - tested == 1 ? "the other" : "the others");
    return SB_FINDING_SOME_REPRODUCED;
  }
  *why = why_untested(r, row);
  return SB_FINDING_NOT_TESTED;
}

void sb_reproduction_count(const sb_reproduction *r, size_t counts[3][SB_FINDING_VERDICTS])
{
  memset(counts, 0, 3 * SB_FINDING_VERDICTS * sizeof counts[0][0]);
  for (size_t row = 1; row < r->findings->rows; ++row) {
    char *why = NULL;
    counts[sb_finding_kind(r, row)][sb_finding_judge(r, row, &why)]++;
    free(why);
  }
}

size_t sb_reproduction_failures(const sb_reproduction *r)
{
  size_t failures = 0;
  for (size_t i = 0; i < r->claim_count; ++i) failures += r->claims[i].fails && r->folders[r->claims[i].folder].counts;
  return failures;
}
