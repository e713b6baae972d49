/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands on results directories: status, show, table, plot, verify, report, export; and on several of one sweep:
 * compare, merge. */
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "cases/common/json_text.h"
#include "cases/store/case_file.h"
#include "cases/store/export.h"
#include "cases/store/export_motion.h"
#include "harness/commands/command.h"
#include "harness/commands/reports.h"
#include "harness/report/compare.h"
#include "harness/report/report.h"
#include "harness/run/forget.h"
#include "harness/run/merge.h"
#include "harness/run/signals.h"

/* Prints messages; NULL if it is not a results directory. */
static sb_results *open_results(const char *directory, const sb_session *session)
{
  sb_results *results = sb_results_open(directory, session);
  sb_diagnostics_flush(session->diagnostics, stderr);
  return results;
}

static int run_status(int argc, char **argv, const sb_session *session)
{
  const sb_command_words given = sb_command_read(argc, argv, session, NULL);
  for (int i = 0; i < given.count; ++i) {
    const sb_results *results = open_results(given.names[i], session);
    if (!results) return SB_EXIT_USAGE;
    sb_status_print(results, stdout);
  }
  return SB_EXIT_OK;
}

const sb_command sb_command_status = {.run = run_status, .least = 1, .prose = true};

static int show_file(const char *path, const sb_session *session)
{
  char error[SB_ERROR_SIZE] = "";
  if (!sb_command_case_file(path, session, &(const char *){NULL})) return SB_EXIT_USAGE;
  if (!sb_case_file_is_one(path))
    sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100",
                "it is not a case file of springbench; `springbench measure` judges the motion of another program");
  else if (sb_case_file_print(path, session, stdout, error))
    return SB_EXIT_OK;
  else
    sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot show: %s", error);
  return SB_EXIT_USAGE;
}

static int run_show(int argc, char **argv, const sb_session *session)
{
  const char *what = *sb_command_read(argc, argv, session, NULL).names, *directory = NULL;
  const char *key = sb_command_key(what, session->arena, &directory);
  struct stat about;
  if (!key && stat(what, &about) == 0 && !S_ISDIR(about.st_mode)) return show_file(what, session);
  if (!key) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E100",
                "'%s' is neither a case file nor DIR/KEY, a results directory and the key of a case (4 digits or more)",
                what);
    return SB_EXIT_USAGE;
  }
  const sb_results *results = open_results(directory, session);
  const size_t      row = results ? sb_results_find(results, key) : (size_t)-1;
  if (row == (size_t)-1) return SB_EXIT_USAGE;
  sb_case_print(results, row, stdout);
  return SB_EXIT_OK;
}

const sb_command sb_command_show = {.run = run_show, .least = 1, .most = 1, .prose = true};

/* The table of one id of several results, as one if their columns are the same. The number of tables printed. */
static size_t print_tables(const sb_table_spec *spec, size_t count, const sb_results *const *all, sb_table_form form,
                           const sb_session *session)
{
  const sb_table **tables = sb_arena_take(session->arena, count, sizeof *tables);
  const char     **names = sb_arena_take(session->arena, count, sizeof *names);
  size_t           made = 0;
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < all[k]->sweep->table_count; ++i) {
      if (strcmp(all[k]->sweep->tables[i].id, spec->id) != 0) continue;
      names[made] = all[k]->directory;
      tables[made] = sb_sweep_table(all[k], &all[k]->sweep->tables[i], session->arena, session->diagnostics);
      made += tables[made] != NULL;
    }
  const sb_table *joined = made > 1 ? sb_table_joined(made, tables, names, session->arena) : NULL;
  if (joined) sb_table_print(joined, form, stdout);
  for (size_t k = 0; k < made && !joined; ++k) {
    if (k > 0) putchar('\n');
    if (count > 1 && form == SB_TABLE_TEXT) printf("%s\n", names[k]);
    sb_table_print(tables[k], form, stdout);
  }
  return made;
}

static int run_table(int argc, char **argv, const sb_session *session)
{
  sb_table_form          form = SB_TABLE_TEXT;
  struct stat            about;
  const sb_command_words given = sb_command_read(argc, argv, session, &form);
  const bool   named = given.count > 1 && !(stat(given.names[given.count - 1], &about) == 0 && S_ISDIR(about.st_mode));
  const size_t count = (size_t)given.count - named;
  const char  *id = named ? given.names[count] : NULL, *all = "";
  const sb_results **results = sb_arena_take(session->arena, count, sizeof *results);
  size_t             printed = 0;
  for (size_t k = 0; k < count; ++k)
    if (!(results[k] = open_results(given.names[k], session))) return SB_EXIT_USAGE;
  const sb_location here = {results[0]->directory, 0, 0};
  for (size_t i = 0; i < results[0]->sweep->table_count; ++i) {
    const sb_table_spec *spec = &results[0]->sweep->tables[i];
    all = sb_arena_format(session->arena, "%s %s", all, spec->id);
    if (id && strcmp(id, spec->id) != 0) continue;
    if (printed) putchar('\n');
    printed += print_tables(spec, count, results, form, session);
  }
  if (id && !printed && *all)
    sb_error_at(session->diagnostics, here, "E101", "no table '%s'; there are:%s", id, all);
  else if (id && !printed)
    sb_error_at(session->diagnostics, here, "E101", "this sweep has no tables");
  else if (!printed)
    fprintf(stderr, "springbench: %s: this sweep has no tables\n", results[0]->directory);
  return sb_diagnostics_errors(session->diagnostics) > 0 ? SB_EXIT_USAGE : SB_EXIT_OK;
}

static const sb_command_option table_options[] = {
    /* the words of sb_table_form */
    {"format", 0, "text|md|csv|tex", "text (the default), Markdown, all digits, LaTeX with booktabs", sb_take_choice,
     .choices = (const char *const[]){"text", "md", "csv", "tex", NULL}},
    {0},
};

const sb_command sb_command_table = {.run = run_table, .least = 1, .options = table_options};

typedef struct {
  int  form; /* of sb_figure_forms; -1: the usual ones */
  bool trusts;
} plot_request;

static int run_plot(int argc, char **argv, const sb_session *session)
{
  plot_request             wanted = {.form = -1};
  const sb_command_words   given = sb_command_read(argc, argv, session, &wanted);
  static const char *const usual[] = {"svg", "pdf", "png", NULL};
  const char              *id = given.count > 1 ? given.names[1] : NULL, *all = "";
  const char              *terminal = wanted.form < 0 ? NULL : sb_figure_forms[wanted.form];
  sb_session               own = *session;
  size_t                   made = 0;
  own.trusts_scripts = wanted.trusts;
  const sb_results *results = open_results(given.names[0], &own);
  if (!results) return SB_EXIT_USAGE;
  for (size_t i = 0; i < results->sweep->figure_count; ++i) {
    const sb_figure_spec *figure = &results->sweep->figures[i];
    all = sb_arena_format(session->arena, "%s %s", all, figure->id);
    if (id && strcmp(id, figure->id) != 0) continue;
    const char *const      *forms = terminal ? (const char *const[]){terminal, NULL} : usual;
    const sb_figure_outcome end = sb_figure_write(results, figure, forms);
    sb_names                files = {0};
    sb_figure_add_files(results, figure, &files);
    const sb_output output = {.folder = results->directory, .thing = SB_OUTPUT_ALL, .files = files};
    if (end == SB_FIGURE_FAILED || !sb_output_note_again(&output)) return SB_EXIT_STORAGE;
    made++;
    if (end == SB_FIGURE_DRAWN && (!terminal || strcmp(terminal, "dumb") != 0))
      printf("%s/figures/%s%s.%s\n", results->directory, figure->id,
             terminal && strcmp(terminal, "tex") == 0 ? "-latex" : "", terminal ? terminal : "{svg,pdf,png}");
  }
  if (made == 0 && id)
    sb_error_at(session->diagnostics, (sb_location){0}, "E106", "no figure '%s'; there are:%s", id, all);
  else if (made == 0)
    fprintf(stderr, "springbench: %s: this sweep has no figures\n", results->directory);
  return made == 0 && id ? SB_EXIT_USAGE : SB_EXIT_OK;
}

static const sb_command_option plot_options[] = {
    {"term", 0, "svg|pdf|png|tex|dumb", "this form alone (default: svg, pdf and png); dumb: on the screen",
     sb_take_choice, .place = offsetof(plot_request, form), .choices = sb_figure_forms},
    {"trust", 0, NULL, "also by a script of the sweep's own that lies in DIR, which gnuplot runs", sb_take_flag,
     .place = offsetof(plot_request, trusts)},
    {0},
};

const sb_command sb_command_plot = {.run = run_plot, .least = 1, .most = 2, .options = plot_options};

/* A results directory, or the folder of several, which is held against the published findings. */
static int verify(const char *directory, bool count_time, const sb_session *session)
{
  const sb_results_folders *folders =
      sb_is_results_folder(directory) ? NULL : sb_results_folders_open(session, directory, NULL, 0);
  if (!folders || folders->count == 0) {
    sb_results *results = open_results(directory, session);
    if (!results) return SB_EXIT_USAGE;
    sb_claims_print(results, stdout);
    return sb_claims_failing(results, count_time) > 0 ? SB_EXIT_CONTRADICTION : SB_EXIT_OK;
  }
  const sb_findings *findings = sb_findings_judge(session, folders, NULL);
  if (!findings) return SB_EXIT_STORAGE;
  sb_findings_print(findings, stdout);
  fflush(stdout); /* before the line on stderr, where both go to one file */
  const sb_page_outcome page = sb_page_write_findings(findings);
  const sb_output       output = sb_reports_of_folder(folders, session->arena);
  if (page == SB_PAGE_FAILED || !sb_output_note_again(&output)) return SB_EXIT_STORAGE;
  if (page == SB_PAGE_WRITTEN) fprintf(stderr, "springbench: the same with links: %s/REPRODUCED.md\n", folders->parent);
  /* A claim that fails decides the exit status, even if a directory cannot be read. */
  if (sb_findings_failures(findings, count_time) > 0) return SB_EXIT_CONTRADICTION;
  return folders->unreadable > 0 ? SB_EXIT_UNREADABLE : SB_EXIT_OK;
}

static int run_verify(int argc, char **argv, const sb_session *session)
{
  bool                   no_time = false;
  const sb_command_words given = sb_command_read(argc, argv, session, &no_time);
  int                    status = SB_EXIT_OK;
  for (int i = 0; i < given.count; ++i) {
    const int one = verify(given.names[i], !no_time, session);
    if (one != SB_EXIT_OK && one != SB_EXIT_CONTRADICTION && one != SB_EXIT_UNREADABLE) return one;
    if (one != SB_EXIT_OK && status != SB_EXIT_CONTRADICTION) status = one;
  }
  return status;
}

static const sb_command_option verify_options[] = {
    {"no-time", 0, NULL, "claims on times are shown but decide nothing", sb_take_flag, .place = 0},
    {0},
};

const sb_command sb_command_verify = {.run = run_verify, .least = 1, .options = verify_options, .prose = true};

static int run_report(int argc, char **argv, const sb_session *session)
{
  const char     *directory = *sb_command_read(argc, argv, session, NULL).names;
  struct stat     about = {0};
  sb_page_outcome outcome = SB_PAGE_FAILED;
  size_t          unreadable = 0;
  if (sb_is_results_folder(directory)) {
    sb_results *results = open_results(directory, session);
    if (!results) return SB_EXIT_USAGE;
    outcome = sb_page_write_sweep(results);
    const char     *files[] = {"report.md", "report.html", "tables.tex"};
    const sb_output output = {.folder = directory, .thing = SB_OUTPUT_ALL, .files = {3, files}};
    if (!sb_output_note_again(&output)) return SB_EXIT_STORAGE;
  } else if (stat(directory, &about) == 0 && S_ISDIR(about.st_mode)) {
    const sb_results_folders *folders = sb_results_folders_open(session, directory, NULL, 0);
    outcome = sb_pages_write(folders, sb_findings_judge(session, folders, NULL));
    const sb_output output = folders->count > 0 ? sb_reports_of_folder(folders, session->arena) : (sb_output){0};
    if (folders->count > 0 && !sb_output_note_again(&output)) return SB_EXIT_STORAGE;
    sb_results_folders_tell(folders, "springbench: error: ", stderr);
    unreadable = folders->unreadable;
  } else {
    fprintf(stderr,
            "springbench: error: %s is not a directory; give one made by `run`, or the folder of several [E100]\n",
            directory);
    return SB_EXIT_USAGE;
  }
  if (outcome != SB_PAGE_WRITTEN) return SB_EXIT_STORAGE; /* a page left alone is not the one asked for */
  printf("%s/report.html\n", directory);
  return unreadable > 0 ? SB_EXIT_UNREADABLE : SB_EXIT_OK;
}

const sb_command sb_command_report = {.run = run_report, .least = 1, .most = 1};

/* A whole directory is its index, which is made anew: what lies there may be older than the journal. */
static void print_index(const sb_results *results)
{
  const sb_rows *rows = results->rows;
  json_t        *units = json_object(), *cases = json_array();
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c)
    json_object_set_new(units, sb_rows_column_at(rows, c)->name, json_string(sb_rows_column_at(rows, c)->unit));
  for (size_t r = 0; r < sb_rows_count(rows); ++r) {
    json_t *one = json_object();
    for (size_t c = 0; c < sb_rows_column_count(rows); ++c)
      json_object_set_new(one, sb_rows_column_at(rows, c)->name, sb_json_of_value(sb_rows_get(rows, r, c)));
    json_array_append_new(cases, one);
  }
  json_auto_t *all = json_pack("{s:s, s:o, s:o}", "sweep", results->sweep->name, "units", units, "cases", cases);
  (void)json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17)); /* losses are reported at the end */
  putchar('\n');
}

enum { CSV, JSON, XDMF, OBJ, NPZ }; /* the last two are files, the others go to standard output */
static const char *const export_forms[] = {"csv", "json", "xdmf", "obj", "npz", NULL};

typedef struct {
  int         form;
  const char *output;
} export_request;

static void check_export(const sb_command_words *words, void *input, struct argp_state *state)
{
  const export_request *r = input;
  const char           *to = export_forms[r->form], *name = r->output;
  (void)words;
  if (r->form >= OBJ && !name)
    argp_error(state, "--to %s writes %s; add -o NAME", to,
               r->form == OBJ ? "NAME_0000.obj, NAME_0001.obj, …" : "NAME.npz");
  if (r->form < OBJ && name) argp_error(state, "--to %s writes to standard output; use `> FILE` in place of -o", to);
  if (name && (!*name || name[strlen(name) - 1] == '/')) argp_error(state, "-o takes a name of files; got '%s'", name);
}

static int run_export(int argc, char **argv, const sb_session *session)
{
  export_request r = {CSV, NULL};
  const char    *what = *sb_command_read(argc, argv, session, &r).names, *to = export_forms[r.form];
  struct stat    about;
  if (stat(what, &about) == 0 && S_ISDIR(about.st_mode)) {
    if (r.form >= XDMF) {
      fprintf(stderr,
              "springbench: error: a results directory is exported --to csv or json; name a case (DIR/KEY) for %s\n",
              to);
      return SB_EXIT_USAGE;
    }
    const sb_results *results = open_results(what, session);
    if (results && r.form == JSON) print_index(results);
    if (results && r.form == CSV) sb_index_print_csv(results->rows, stdout);
    return results ? SB_EXIT_OK : SB_EXIT_USAGE;
  }
  char        error[SB_ERROR_SIZE] = "";
  const char *directory = NULL, *path = sb_command_case_file(what, session, &directory);
  if (!path) return SB_EXIT_USAGE;
  if (r.form >= OBJ ? sb_export_motion(path, to, r.output, error) : sb_export(path, to, stdout, error))
    return SB_EXIT_OK;
  if (ferror(stdout) || !*error) return SB_EXIT_STORAGE; /* reported when the program ends, or already */
  fprintf(stderr, "springbench: error: cannot export %s: %s\n", path, error);
  return SB_EXIT_USAGE;
}

static const sb_command_option export_options[] = {
    {"to", 0, "csv|json|xdmf|obj|npz", "the form (default: csv)", sb_take_choice, .choices = export_forms},
    {"output", 'o', "NAME", "of obj: NAME_0000.obj, a file per stored frame; of npz: NAME.npz", sb_take_text,
     .place = offsetof(export_request, output)},
    {0},
};

const sb_command sb_command_export = {
    .run = run_export, .least = 1, .most = 1, .options = export_options, .take_names = check_export};

/* ---- several directories ---- */

/* "5%", "5 %", "0.05". */
static bool read_part(const char *text, double *part)
{
  const char *percent = strchr(text, '%');
  size_t      length = percent ? (size_t)(percent - text) : strlen(text);
  while (length > 0 && text[length - 1] == ' ') --length;
  SB_OWNED char *copy = sb_copy_span(text, length);
  if ((percent && percent[1] != '\0') || !sb_parse_real(copy, part)) return false;
  if (percent) *part /= 100;
  return *part >= 0 && *part <= 10;
}

static const sb_command_option compare_options[] = {
    {"threshold", 0, "5%", "a slowdown above this, by its whole interval, is a regression (default: 5%)",
     sb_take_parsed, .place = offsetof(sb_compare_request, threshold), .parse = read_part,
     .hint = "a fraction such as 5% or 0.05, at most 1000%"},
    {"bitwise", 0, NULL, "other bits are a regression even between different builds", sb_take_flag,
     .place = offsetof(sb_compare_request, bitwise)},
    {"changed", 0, NULL, "leave out cases without a change", sb_take_flag,
     .place = offsetof(sb_compare_request, changed)},
    {"format", 0, "FORM", "text, md or json", sb_take_choice, .place = offsetof(sb_compare_request, form),
     .choices = (const char *const[]){"text", "md", "json", NULL}}, /* of sb_compare_form */
    {"seed", 0, "N", "seed of the resampling (default: 1)", sb_take_seed, .place = offsetof(sb_compare_request, seed),
     .high = INT64_MAX},
    {0},
};

static int run_compare(int argc, char **argv, const sb_session *session)
{
  sb_compare_request     request = {.threshold = 0.05, .seed = 1};
  const sb_command_words words = sb_command_read(argc, argv, session, &request);
  request.paths[0] = words.names[0];
  request.paths[1] = words.names[1];
  request.columns = (const char *const *)&words.names[2];
  request.column_count = (size_t)words.count - 2;
  return sb_compare(session, &request, stdout);
}

const sb_command sb_command_compare = {
    .run = run_compare, .options = compare_options, .least = 2, .missing = "two results are needed"};

static const sb_command_option merge_options[] = {
    {"prefer", 0, "WHICH", "if directories contradict each other, use the first or the last", sb_take_choice,
     .place = offsetof(sb_merge_request, prefer), .low = 1, /* as sb_prefer has them behind none */
     .choices = (const char *const[]){"first", "last", NULL}},
    {"trust", 0, NULL, "run scripts of figures in the directories; gnuplot runs them as programs", sb_take_flag,
     .place = offsetof(sb_merge_request, trusts_scripts)},
    {0},
};

static void check_directories(const sb_command_words *words, void *input, struct argp_state *state)
{
  (void)input;
  for (int i = 0; i < words->count; ++i)
    if (!*words->names[i]) argp_error(state, "a directory has a name; got ''");
  if (words->count < 2) argp_error(state, "the directory OUT and at least one results directory are needed");
}

static int run_merge(int argc, char **argv, const sb_session *session)
{
  sb_merge_request       request = {0};
  sb_results            *results = NULL;
  const sb_command_words words = sb_command_read(argc, argv, session, &request);
  request.directory = words.names[0];
  request.sources = (const char *const *)&words.names[1];
  request.count = (size_t)words.count - 1;
  sb_signals_outlive_readers();
  sb_session own = *session;
  own.trusts_scripts = request.trusts_scripts;
  const int status = sb_merge(&request, &own, &results);
  return sb_reports_end(session, status, results);
}

const sb_command sb_command_merge = {.run = run_merge, .options = merge_options, .take_names = check_directories};

static void take_filter(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  if (*(const char **)place) argp_error(state, "--%s is given twice; join the two by `and`", option->name);
  *(const char **)place = text;
}

static const sb_command_option forget_options[] = {
    {"filter", 'f', "EXPR", "select the cases for which EXPR holds (default: the results that are not of its request)",
     take_filter, .place = offsetof(sb_forget_request, filter)},
    {"yes", 0, NULL, "drop the cases; without it they are only shown", sb_take_flag,
     .place = offsetof(sb_forget_request, for_good)},
    {0},
};

static int run_forget(int argc, char **argv, const sb_session *session)
{
  sb_forget_request request = {0};
  sb_results       *results = NULL;
  request.directory = *sb_command_read(argc, argv, session, &request).names;
  sb_signals_outlive_readers();
  const int status = sb_forget(&request, session, &results);
  return sb_reports_end(session, status, results);
}

const sb_command sb_command_forget = {.run = run_forget,
                                      .options = forget_options,
                                      .least = 1,
                                      .most = 1,
                                      .missing = "a results directory is needed",
                                      .surplus = "one directory at a time"};
