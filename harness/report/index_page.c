/* <parent>/index.md: what was asked, what came out, and where the tables and figures are, one section a results
 * directory. Links are relative, so that the folder can be moved or published as it is. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/report/page_file.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "harness/results/tally.h"

typedef struct {
  const char               *parent;
  const sb_results_folders *folders;
  FILE                     *stream;
  size_t                    found;
} page;

/* `text` may be NULL. */
static void put(FILE *stream, const char *text)
{
  if (text) sb_text_put_markdown(stream, text);
}

/* A relative address: what is not plain is percent-encoded. */
static void put_address(FILE *stream, const char *path)
{
  for (; *path; ++path) {
    const unsigned char c = (unsigned char)*path;
    if (isalnum(c) || strchr("/._+-~", c))
      fputc(c, stream);
    else
      fprintf(stream, "%%%02X", c);
  }
}

static bool exists(const char *directory, const char *name)
{
  char      *path = sb_format("%s/%s", directory, name);
  const bool there = access(path, F_OK) == 0;
  free(path);
  return there;
}

/* [text](<folder>/<name>) where that file is there: whether it is. */
static bool put_link(const page *p, const char *folder, const char *text, const char *name)
{
  char      *path = sb_format("%s/%s", p->parent, folder);
  const bool there = exists(path, name);
  if (there) {
    fprintf(p->stream, " [%s](", text);
    put_address(p->stream, folder);
    fputc('/', p->stream);
    put_address(p->stream, name);
    fputc(')', p->stream);
  }
  free(path);
  return there;
}

/* The forms of one table or figure: <stem>.<form> each. */
static void put_forms(const page *p, const char *folder, const char *stem, const char *const *forms)
{
  bool any = false;
  for (; *forms; ++forms) {
    char *name = sb_format("%s.%s", stem, *forms);
    any = put_link(p, folder, *forms, name) || any;
    free(name);
  }
  fputs(any ? "\n" : " not made of these cases\n", p->stream);
}

static void put_tables(const page *p, const sb_results *results, const char *folder)
{
  static const char *const forms[] = {"md", "txt", "csv", "tex", NULL};
  for (size_t i = 0; i < results->sweep->table_count; ++i) {
    const sb_table_spec *table = &results->sweep->tables[i];
    char                *stem = sb_format("tables/%s", table->id);
    fputs("- table ", p->stream);
    put(p->stream, table->title ? table->title : table->id);
    fputs(":", p->stream);
    put_forms(p, folder, stem, forms);
    free(stem);
  }
}

static void put_picture(const page *p, const char *folder, const char *stem, const char *form)
{
  char *name = sb_format("%s.%s", stem, form), *path = sb_format("%s/%s", p->parent, folder);
  if (exists(path, name)) {
    fputs("\n  ![](", p->stream);
    put_address(p->stream, folder);
    fputc('/', p->stream);
    put_address(p->stream, name);
    fputs(")\n", p->stream);
  }
  free(name);
  free(path);
}

typedef struct {
  const char        *what, *folder; /* "figure", "figures" */
  const char *const *forms;         /* ended by NULL; the picture shown is of the first */
} drawn_kind;

static void put_drawn(const page *p, const char *folder, const drawn_kind *kind, const char *id, const char *title,
                      const char *note)
{
  char *stem = sb_format("%s/%s", kind->folder, id);
  fprintf(p->stream, "- %s ", kind->what);
  put(p->stream, title ? title : id);
  fputs(":", p->stream);
  put_forms(p, folder, stem, kind->forms);
  put_picture(p, folder, stem, kind->forms[0]);
  if (note) fputs("\n  ", p->stream);
  if (note) put(p->stream, note);
  if (note) fputs("\n", p->stream);
  free(stem);
}

static void put_pictures(const page *p, const sb_results *results, const char *folder)
{
  static const char *const figure_forms[] = {"svg", "pdf", "png", "gp", "dat", NULL};
  static const char *const animation_forms[] = {"gif", "png", NULL};
  static const drawn_kind  figures = {"figure", "figures", figure_forms};
  static const drawn_kind  animations = {"animation", "animations", animation_forms};
  const sb_sweep          *sweep = results->sweep;
  for (size_t i = 0; i < sweep->figure_count; ++i)
    put_drawn(p, folder, &figures, sweep->figures[i].id, sweep->figures[i].title, sweep->figures[i].note);
  for (size_t i = 0; i < sweep->animation_count; ++i)
    put_drawn(p, folder, &animations, sweep->animations[i].id, sweep->animations[i].title, NULL);
}

static void put_cases(const page *p, const sb_results *results)
{
  sb_arena_writer writer;
  const sb_tally  tally = sb_tally_of(results->rows, NULL);
  sb_tally_write(&tally, sb_arena_write(&writer, results->session.arena));
  fprintf(p->stream, "%zu case%s: ", tally.cases, tally.cases == 1 ? "" : "s");
  put(p->stream, sb_arena_text(&writer));
  fputs(".\n\n", p->stream);
}

static void put_verdicts(const page *p, sb_results *results)
{
  const sb_verdict *verdicts = sb_results_verdicts(results);
  sb_arena_writer   writer;
  for (size_t i = 0; i < results->sweep->claim_count; ++i) {
    sb_claim_write(&results->sweep->claims[i], &verdicts[i], sb_arena_write(&writer, results->session.arena));
    fprintf(p->stream, "- %s ", sb_verdict_word(verdicts[i].kind));
    put(p->stream, sb_arena_text(&writer));
    fputc('\n', p->stream);
  }
  fputs("- ", p->stream);
  sb_claims_summarize(results, p->stream);
  fputs("\n\n", p->stream);
}

static void put_section(page *p, sb_results *results, const char *folder)
{
  p->found++;
  fputs("## ", p->stream);
  put(p->stream, results->sweep->name);
  fputs(results->quick ? " (quick)\n\n" : "\n\n", p->stream);
  if (results->sweep->question) {
    put(p->stream, results->sweep->question);
    if (results->sweep->source) fputs(" Source: ", p->stream);
    put(p->stream, results->sweep->source);
    fputs("\n\n", p->stream);
  }
  put_cases(p, results);
  put_verdicts(p, results);
  put_tables(p, results, folder);
  put_pictures(p, results, folder);
  fputs("- all:", p->stream);
  put_link(p, folder, "results.csv", "results.csv");
  put_link(p, folder, "results.h5", "results.h5");
  put_link(p, folder, "sweep.yaml", "sweep.yaml");
  fputs("\n\n", p->stream);
}

/* A directory that cannot be opened is named on the page: its absence would look like nothing. */
static bool write_page(FILE *stream, void *context)
{
  page *p = context;
  p->stream = stream;
  fputs(SB_PAGE_MARK "\n\n# Results\n\n", stream);
  for (size_t i = 0; i < p->folders->count; ++i) {
    const sb_results_folder *folder = &p->folders->each[i];
    if (folder->results) {
      put_section(p, folder->results, folder->name);
      continue;
    }
    fputs("## ", stream);
    put(stream, folder->name);
    fputs("\n\ncannot be read: ", stream);
    put(stream, folder->problem);
    fputs("\n\n", stream);
  }
  if (p->found == 0) fputs("There are none yet.\n", stream);
  return true;
}

sb_page_outcome sb_index_page_write(const sb_results_folders *folders)
{
  char                 *path = sb_format("%s/index.md", folders->parent);
  page                  p = {.parent = folders->parent, .folders = folders};
  const sb_page_outcome outcome = sb_page_write(path, write_page, &p);
  free(path);
  return outcome;
}

static bool write_findings(FILE *stream, void *context)
{
  const sb_findings *findings = context;
  fputs(SB_PAGE_MARK "\n\n# What was published, and what came out here\n\n"
                     "Written by `springbench run` and `springbench verify` of this folder from the claims of the "
                     "sweeps. The findings are those of `results/published/findings.csv`.\n\n",
        stream);
  sb_findings_write_markdown(findings, "index.md", stream);
  return true;
}

sb_page_outcome sb_findings_page_write(const sb_findings *findings)
{
  char                 *path = sb_format("%s/REPRODUCED.md", findings->folders->parent);
  sb_findings           copy = *findings;
  const sb_page_outcome outcome = sb_page_write(path, write_findings, &copy);
  free(path);
  return outcome;
}

bool sb_index_page_is_wanted(const char *parent)
{
  const char *slash = strrchr(parent, '/');
  char       *path = sb_format("%s/index.md", parent);
  const bool  wanted = strcmp(slash ? slash + 1 : parent, "results") == 0 || sb_page_is_ours(path);
  free(path);
  return wanted;
}
