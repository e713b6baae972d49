/* <parent>/REPRODUCED.md: a line a published finding, with what our claims say of it and where to look. Links are
 * relative. Pages of docs/findings that name a finding are linked beside our tables and figures. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/data_directory.h"
#include "harness/report/report_text.h"
#include "harness/report/reproduced.h"

/* A page of docs/findings as text. */
typedef struct {
  char *name, *text;
} finding_page;

typedef struct {
  const sb_reproduction *r;
  FILE                  *stream;
  size_t                 page_count;
  finding_page          *pages;
  const char            *prefix; /* of a link to a page; NULL where no relative one leads there */
} work;

static char *read_all(const char *path)
{
  FILE  *file = fopen(path, "re");
  char  *text = NULL;
  size_t room = 0;
  if (!file) return NULL;
  const ssize_t length = getdelim(&text, &room, '\0', file);
  fclose(file);
  if (length > 0) return text;
  free(text);
  return NULL;
}

static void read_page(work *w, const char *directory, const char *name)
{
  const size_t length = strlen(name);
  if (length < 4 || strcmp(name + length - 3, ".md") != 0 || strcmp(name, "README.md") == 0) return;
  char *path = sb_format("%s/%s", directory, name), *text = read_all(path);
  free(path);
  if (!text) return;
  w->pages = sb_grow(w->pages, w->page_count, sizeof *w->pages);
  w->pages[w->page_count++] = (finding_page){sb_copy_text(name), text};
}

static void read_pages(work *w, const char *directory)
{
  struct dirent **entries = NULL;
  const int       count = scandir(directory, &entries, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    read_page(w, directory, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
}

/* Pages are linked where results lie in the source tree; elsewhere their names stand alone. */
static void find_pages(work *w)
{
  char *directory = sb_data_directory("docs/findings"), *ours = sb_format("%s/../docs/findings", w->r->parent);
  char  real[PATH_MAX], there[PATH_MAX];
  read_pages(w, directory);
  if (realpath(directory, real) && realpath(ours, there) && strcmp(real, there) == 0) w->prefix = "../docs/findings/";
  free(directory);
  free(ours);
}

/* Whether `text` has `id` as a word of its own. */
static bool names(const char *text, const char *id)
{
  const size_t length = strlen(id);
  for (const char *at = text; (at = strstr(at, id)); at += length) {
    const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || strchr("-_", at[-1]));
    if (begins && !isalnum((unsigned char)at[length]) && !strchr("-_", at[length])) return true;
    if (begins && at[length] == '\0') return true;
  }
  return false;
}

static void put(const work *w, const char *text) { sb_text_put_markdown(w->stream, text); }

static void put_pages(const work *w, const char *id)
{
  for (size_t i = 0; i < w->page_count; ++i) {
    if (!names(w->pages[i].text, id)) continue;
    if (w->prefix)
      fprintf(w->stream, " [page %s](%s%s)", w->pages[i].name, w->prefix, w->pages[i].name);
    else
      fprintf(w->stream, " docs/findings/%s", w->pages[i].name);
  }
}

static void put_margin(const work *w, const sb_judged_claim *claim)
{
  if (claim->verdict.grounds.margin > 0 && claim->verdict.kind == SB_REPRODUCED && claim->kind == SB_CLAIM_TIME)
    fprintf(w->stream, " (%.3g times as fast as published)", claim->verdict.grounds.margin);
}

enum { SHORT_DETAIL = 100 };

/* "reproduced: nine are too few — status by substeps: diverged (9)". Long formulas of what holds are left to
 * index.md. */
static void put_claim(const work *w, const sb_judged_claim *claim, bool verdicts_differ)
{
  const char *detail = claim->verdict.detail;
  const bool  told = claim->verdict.kind != SB_REPRODUCED || strlen(detail) <= SHORT_DETAIL;
  if (verdicts_differ) fprintf(w->stream, "*%s*: ", sb_verdict_word(claim->verdict.kind));
  put(w, claim->claim);
  put_margin(w, claim);
  if (*detail && told) fputs(" — ", w->stream);
  if (told) put(w, detail);
}

static void put_claims(const work *w, size_t row)
{
  size_t put_so_far = 0;
  bool   differ = false;
  for (size_t i = 0; i < w->r->claim_count; ++i)
    differ = differ || (sb_finding_has(w->r, row, i) && w->r->claims[i].verdict.kind != SB_REPRODUCED);
  for (size_t i = 0; i < w->r->claim_count; ++i) {
    if (!sb_finding_has(w->r, row, i)) continue;
    if (put_so_far++ > 0) fputs("<br>", w->stream);
    put_claim(w, &w->r->claims[i], differ);
  }
}

static void put_links(const work *w, size_t row)
{
  for (size_t f = 0; f < w->r->folder_count; ++f) {
    bool named = false;
    for (size_t i = 0; i < w->r->claim_count && !named; ++i)
      named = w->r->claims[i].folder == f && sb_finding_has(w->r, row, i);
    if (!named) continue;
    const sb_judged_folder *folder = &w->r->folders[f];
    fprintf(w->stream, " [%s](index.md#%s%s)%s%s%s.", folder->name, folder->name, folder->quick ? "-quick" : "",
            folder->quick ? " (quick)" : "", *folder->links ? ":" : "", folder->links);
  }
  put_pages(w, sb_published_text(w->r->findings, row, "id"));
}

static void put_finding(const work *w, size_t row)
{
  const sb_published_table *findings = w->r->findings;
  char                     *why = NULL;
  const sb_finding_verdict  verdict = sb_finding_judge(w->r, row, &why);
  fprintf(w->stream, "| **%s** | `%s` ", sb_finding_word(verdict), sb_published_text(findings, row, "id"));
  put(w, sb_published_text(findings, row, "setting"));
  fputs(": ", w->stream);
  put(w, sb_published_text(findings, row, "finding"));
  fputs(" (", w->stream);
  put(w, sb_published_text(findings, row, "source"));
  fputs(") | ", w->stream);
  if (why) put(w, why);
  if (why && verdict != SB_FINDING_NOT_TESTED) fputs("<br>", w->stream);
  if (verdict != SB_FINDING_NOT_TESTED) put_claims(w, row);
  fputs(" |", w->stream);
  put_links(w, row);
  fputs(" |\n", w->stream);
  free(why);
}

static void put_kind(const work *w, sb_claim_kind kind)
{
  static const char *const meaning[] = {[SB_CLAIM_EXACT] = "must hold",
                                        [SB_CLAIM_SHAPE] = "the trend must hold",
                                        [SB_CLAIM_TIME] = "to be beaten on this machine"};
  fprintf(w->stream, "\n## Findings of kind %s: %s\n\n", sb_claim_kind_word(kind), meaning[kind]);
  fputs("| verdict | published | here | see |\n|:---|:---|:---|:---|\n", w->stream);
  for (size_t row = 1; row < w->r->findings->rows; ++row)
    if (sb_finding_kind(w->r, row) == kind) put_finding(w, row);
}

static void put_counts(const work *w)
{
  size_t counts[3][SB_FINDING_VERDICTS];
  sb_reproduction_count(w->r, counts);
  fputs("| kind |", w->stream);
  for (int v = 0; v < SB_FINDING_VERDICTS; ++v) fprintf(w->stream, " %s |", sb_finding_word((sb_finding_verdict)v));
  fputs("\n|:---|", w->stream);
  for (int v = 0; v < SB_FINDING_VERDICTS; ++v) fputs("---:|", w->stream);
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind) {
    fprintf(w->stream, "\n| %s |", sb_claim_kind_word((sb_claim_kind)kind));
    for (int v = 0; v < SB_FINDING_VERDICTS; ++v) fprintf(w->stream, " %zu |", counts[kind][v]);
  }
  fputc('\n', w->stream);
}

static void put_quick_note(const work *w)
{
  for (size_t i = 0; i < w->r->folder_count; ++i) {
    if (!w->r->folders[i].quick || !w->r->folders[i].counts) continue;
    fputs("\nWhat is marked quick rests on a part of its sweep, made with `--quick`: claims that need the whole, or "
          "times "
          "to be trusted, are not tested there.\n",
          w->stream);
    return;
  }
}

static void put_all(const work *w)
{
  fputs(SB_PAGE_MARK
        "\n\n# What was published, and what came out here\n\n"
        "Written by `springbench run` and `springbench verify` of this folder from the claims of the sweeps. The "
        "findings "
        "are those of `results/published/findings.csv`.\n\n",
        w->stream);
  put_counts(w);
  put_quick_note(w);
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind) put_kind(w, (sb_claim_kind)kind);
}

static bool write_page(FILE *stream, void *context)
{
  work *w = context;
  w->stream = stream;
  put_all(w);
  return true;
}

sb_page_outcome sb_reproduction_write(const sb_reproduction *r)
{
  char *path = sb_format("%s/REPRODUCED.md", r->parent);
  work  w = {.r = r};
  find_pages(&w);
  const sb_page_outcome outcome = sb_page_write(path, write_page, &w);
  for (size_t i = 0; i < w.page_count; ++i) {
    free(w.pages[i].name);
    free(w.pages[i].text);
  }
  free(w.pages);
  free(path);
  return outcome;
}
