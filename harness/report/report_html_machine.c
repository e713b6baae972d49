/* Where and by what a sweep was measured: the builds and machines that the journal names, libraries and flags as the
 * first whole case file says, the sweep file as it was, and the command that runs it again. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"
#include "harness/store/case_file.h"
#include "harness/store/journal.h"

static void put_term(FILE *stream, const char *term, const char *text)
{
  if (!text || !*text) return;
  fputs("<dt>", stream);
  sb_html_put(stream, term);
  fputs("</dt><dd>", stream);
  sb_html_put(stream, text);
  fputs("</dd>\n", stream);
}

static bool said_before(const json_t *runs, size_t index, const char *member)
{
  const char *text = json_string_value(json_object_get(json_array_get(runs, index), member));
  for (size_t i = 0; i < index; ++i) {
    const char *earlier = json_string_value(json_object_get(json_array_get(runs, i), member));
    if (text && earlier && strcmp(text, earlier) == 0) return true;
  }
  return text == NULL;
}

static void put_distinct(FILE *stream, const json_t *runs, const char *term, const char *member)
{
  for (size_t i = 0; i < json_array_size(runs); ++i)
    if (!said_before(runs, i, member))
      put_term(stream, term, json_string_value(json_object_get(json_array_get(runs, i), member)));
}

static void put_runs(const sb_html_sweep *s)
{
  sb_journal_state journal = {0};
  char            *path = sb_format("%s/journal.jsonl", s->results->directory);
  if (sb_journal_read(path, &journal)) {
    const size_t count = json_array_size(journal.runs);
    put_distinct(s->stream, journal.runs, "machine", "machine");
    put_distinct(s->stream, journal.runs, "build", "build");
    if (count > 0) {
      const json_t *last = json_array_get(journal.runs, count - 1);
      put_term(s->stream, count == 1 ? "run" : "last run", json_string_value(json_object_get(last, "at")));
    }
  }
  sb_journal_clear(&journal);
  free(path);
}

static char *text_of(const json_t *value)
{
  if (json_is_string(value)) return sb_copy_text(json_string_value(value));
  return value ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4)) : NULL;
}

static void put_provenance(const sb_html_sweep *s, const json_t *provenance)
{
  static const char *const shown[][2] = {{"processor", "cpu"},
                                         {"processors", "cores"},
                                         {"usable by a case", "cores_usable"},
                                         {"frequency governor", "governor"},
                                         {"kernel", "kernel"},
                                         {"load average at the start", "load_average"},
                                         {"program", "git_describe"},
                                         {"compiler", "compiler"},
                                         {"flags", "compiler_flags"},
                                         {"PETSc", "petsc_version"},
                                         {"CHOLMOD", "cholmod_version"},
                                         {"BLAS", "blas"},
                                         {"BLAS threads", "blas_threads"},
                                         {"HDF5", "hdf5_version"},
                                         {"MPI", "mpi_version"},
                                         {"PETSc options", "petsc_options"},
                                         {"PETSC_OPTIONS", "petsc_options_environment"}};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i) {
    char *text = text_of(json_object_get(provenance, shown[i][1]));
    put_term(s->stream, shown[i][0], text);
    free(text);
  }
}

static json_t *provenance_of(const char *path)
{
  char        error[SB_ERROR_SIZE] = "";
  const hid_t file = sb_case_file_open(path, error);
  json_t     *provenance = file >= 0 ? sb_case_file_provenance(file) : NULL;
  if (sb_case_file_close(file, provenance != NULL, error)) return provenance;
  json_decref(provenance);
  return NULL;
}

/* HDF5 believes what it reads, so the checksum comes first. */
static json_t *first_provenance(const sb_results *results)
{
  json_t *provenance = NULL;
  char    error[SB_ERROR_SIZE] = "";
  for (size_t row = 0; !provenance && results->plan && row < sb_rows_count(results->rows); ++row) {
    const sb_value key = sb_rows_get_named(results->rows, row, "key");
    if (key.kind != SB_WORD || !sb_results_case_is_whole(results, key.word, error)) continue;
    char *path = sb_results_case_path(results, key.word);
    provenance = provenance_of(path);
    free(path);
  }
  return provenance;
}

/* As one word of a shell: the line is there to be pasted. */
static void put_word(FILE *stream, const char *text)
{
  char  *word = NULL;
  size_t length = 0;
  FILE  *quoted = sb_text_stream(&word, &length);
  sb_text_put_word(quoted, text);
  fclose(quoted);
  sb_html_put(stream, word);
  free(word);
}

static void put_repeat(const sb_html_sweep *s)
{
  const char *slash = strrchr(s->results->directory, '/'), *name = slash ? slash + 1 : s->results->directory;
  size_t      all = 0;
  fprintf(s->stream, "<p>To run all of it again, in the folder that %s:</p>\n",
          *s->folder ? "this page is in" : "holds that of this page");
  fputs("<p class=\"command\"><code>springbench run ", s->stream);
  put_word(s->stream, *s->folder ? s->folder : name);
  fputs(s->results->quick ? " --rerun all --quick</code></p>\n" : " --rerun all</code></p>\n", s->stream);
  if (!sb_results_are_whole(s->results, &all))
    fputs(
        "<p class=\"remark\">These are not the cases of the sweep as it stands (-p, -f or --shard was given, or it was "
        "edited); each has its own command above.</p>\n",
        s->stream);
  if (!s->results->sweep->text) return;
  fputs("<details>\n<summary>The sweep file</summary>\n"
        "<pre class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"the sweep file\">",
        s->stream);
  sb_html_put(s->stream, s->results->sweep->text);
  fputs("</pre>\n</details>\n", s->stream);
}

void sb_html_machine(const sb_html_sweep *s)
{
  json_t *provenance = first_provenance(s->results);
  sb_html_heading(s, "machine", "Machine and provenance");
  fputs("<dl class=\"provenance\">\n", s->stream);
  put_runs(s);
  put_provenance(s, provenance);
  fputs("</dl>\n", s->stream);
  if (!provenance) fputs("<p class=\"remark\">No stored case says more about libraries and flags.</p>\n", s->stream);
  put_repeat(s);
  json_decref(provenance);
}
