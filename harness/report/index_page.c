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
#include "harness/results/results_folders.h"

typedef struct {
  const char       *parent;
  const sb_session *session;
  FILE             *stream;
  size_t            found;
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
  size_t       counts[SB_STATUS_COUNT] = {0}, pending = 0;
  const char  *separator = "";
  const size_t rows = sb_rows_count(results->rows);
  for (size_t i = 0; i < rows; ++i) {
    const sb_value status = sb_rows_get_named(results->rows, i, "status");
    sb_status      number = SB_OK;
    if (status.kind == SB_WORD && sb_status_from_name(status.word, &number))
      counts[number]++;
    else
      pending++;
  }
  fprintf(p->stream, "%zu case%s: ", rows, rows == 1 ? "" : "s");
  for (size_t i = 0; i < SB_STATUS_COUNT; ++i) {
    if (counts[i] == 0) continue;
    fprintf(p->stream, "%s%zu ", separator, counts[i]);
    put(p->stream, sb_status_name((sb_status)i));
    separator = ", ";
  }
  if (pending > 0) fprintf(p->stream, "%s%zu not run", separator, pending);
  fputs(".\n\n", p->stream);
}

static void put_verdicts(const page *p, const sb_results *results)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  sb_verify(results, stream, true);
  fclose(stream);
  for (char *line = text, *end = NULL; (end = strchr(line, '\n')); line = end + 1) {
    *end = '\0';
    fputs("- ", p->stream);
    put(p->stream, line);
    fputc('\n', p->stream);
  }
  fputc('\n', p->stream);
  free(text);
}

static void put_section(page *p, const sb_results *results, const char *folder)
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
static void put_directory(void *context, const char *folder)
{
  page       *p = context;
  char       *path = sb_format("%s/%s", p->parent, folder);
  sb_session  own = sb_session_begin(p->session->vocabulary, p->session->drivers);
  sb_results *results = sb_results_open(path, &own);
  if (results)
    put_section(p, results, folder);
  else {
    fputs("## ", p->stream);
    put(p->stream, folder);
    fputs("\n\ncannot be read: ", p->stream);
    put(p->stream, sb_diagnostics_message(own.diagnostics, 0));
    fputs("\n\n", p->stream);
  }
  sb_session_end(&own, NULL);
  free(path);
}

static bool write_page(FILE *stream, void *context)
{
  page *p = context;
  p->stream = stream;
  fputs(SB_PAGE_MARK "\n\n# Results\n\n", stream);
  sb_results_folders(p->parent, put_directory, p);
  if (p->found == 0) fputs("There are none yet.\n", stream);
  return true;
}

sb_page_outcome sb_index_page_write(const char *parent, const sb_session *session)
{
  char                 *path = sb_format("%s/index.md", parent);
  page                  p = {.parent = parent, .session = session};
  const sb_page_outcome outcome = sb_page_write(path, write_page, &p);
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
