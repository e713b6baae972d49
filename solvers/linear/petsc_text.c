/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading, checking and normalising texts of PETSc's options; see petsc_text.h. PETSc can open files and displays,
 * start debuggers and run code through options. A name therefore passes only if it is on a list (petsc_passed.h).
 * Before that, the refusals below give the reason for refusing what a user may try; they also hold after the beginnings
 * of the list. */
#include "solvers/linear/petsc_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/nearest_name.h"
#include "base/words.h"
#include "solvers/linear/petsc_passed.h"

static const sb_entry *const presets[] = {
#define SB_PRESET(title, options, about)                                                                               \
  &(const sb_petsc_preset){.name = #title, .summary = (about), .text = (options)}.entry,
#include "solvers/linear/petsc_presets.def"
#undef SB_PRESET
};
const sb_list sb_petsc_presets = {
    .family = "presets", .title = "Named texts of option petsc", SB_LIST_ENTRIES(presets)};

typedef struct {
  const char *fragment, *why;
} refusal;

/* Ends of names, after any prefix, that print only into the case's log if they have no value. */
static const char *const reports[] = {
    "ksp_monitor",          "ksp_monitor_true_residual", "ksp_monitor_singular_value", "ksp_view",
    "ksp_converged_reason", "ksp_view_singularvalues",   "ksp_view_eigenvalues",
};

#define STOPPING                                                                                                       \
  "linear_tolerance decides when a solve ends; with linear_tolerance=0 it makes linear_max_iterations "                \
  "iterations"

#define NONLINEAR_STOPPING "gradient_tolerance, step_tolerance and max_iterations decide when a step ends"

#define OPENS_UNIT "it names a Fortran unit, which is a file fort.N"

#define STEPPING "substeps or h define the step of TS"

/* Fragments of names, in lower case; with the '-', options of the solver itself, not of those inside it; with '$', the
 * end of a name. For petsc_nonlinear alone: */
static const refusal nonlinear_refusals[] = {
    {"-snes_rtol", NONLINEAR_STOPPING},
    {"-snes_atol", NONLINEAR_STOPPING},
    {"-snes_stol", NONLINEAR_STOPPING},
    {"-snes_max_it", NONLINEAR_STOPPING},
    {"-snes_max_funcs", NONLINEAR_STOPPING},
    {"-snes_divergence_tolerance", NONLINEAR_STOPPING},
    {"-snes_convergence_test", NONLINEAR_STOPPING},
    {"-tao_gatol", NONLINEAR_STOPPING},
    {"-tao_grtol", NONLINEAR_STOPPING},
    {"-tao_gttol", NONLINEAR_STOPPING},
    {"-tao_max_it", NONLINEAR_STOPPING},
    {"-tao_max_funcs", NONLINEAR_STOPPING},
    {"-tao_fmin", NONLINEAR_STOPPING},
    {"-tao_steptol", NONLINEAR_STOPPING},
};

/* Only for petsc_ts. */
static const refusal time_refusals[] = {
    {"-ts_dt", STEPPING},
    {"-ts_time_step", STEPPING},
    {"-ts_init_time", STEPPING},
    {"-ts_max_time", STEPPING},
    {"-ts_max_steps", STEPPING},
    {"-ts_time_span", STEPPING},
    {"-ts_exact_final_time", STEPPING},
    {"-ts_event", "events between steps are not supported"},
    {"-ts_fd", "derivatives are springbench's own"},
    {"-ts_rhs_jacobian_test", "it prints"},
    {"trajectory", "it keeps all steps"},
    {"error_if_step_fails", "a solve that does not converge is a result, not an error"},
};

/* For all methods. */
static const refusal refusals[] = {
    {"view", "it opens a viewer; -ksp_view, -ksp_view_eigenvalues, -ksp_view_singularvalues and -log_view, without a "
             "value, write to the log of the case"},
    {"monitor",
     "it opens a viewer; -ksp_monitor, -ksp_monitor_true_residual and -ksp_monitor_singular_value, without a "
     "value, write to the log of the case"},
    {"snes_fd", "derivatives are springbench's own"},
    {"snes_mf", "derivatives are springbench's own"},
    {"tao_fd", "derivatives are springbench's own"},
    {"tao_mf", "derivatives are springbench's own"},
    {"_test_", "it tests the solver in place of solving"},
    {"snes_compare", "it tests the solver in place of solving"},
    {"check_level", "it tests the solver in place of solving"},
    {"-ksp_convergence_test", STOPPING},
    {"-ksp_converged_use", STOPPING},
    {"-ksp_converged_maxits", STOPPING},
    {"converged_rea", "with a value it may open files; without one it writes to the log of the case"},
    {"converged_rate", "it may open files"},
    {"print", "it prints"},
    {"log", "it prints; -log_view, without a value, writes to the log of the case"},
    {"file", "it opens files"},
    {"dump", "it opens files"},
    {"save", "it opens files"},
    {"tmpdir", "it opens files"},
    {"mumps_ooc", "it opens files"},
    {"mumps_icntl_22", "it opens files"},
    {"mumps_icntl_1$", OPENS_UNIT},
    {"mumps_icntl_2$", OPENS_UNIT},
    {"mumps_icntl_3$", OPENS_UNIT},
    {"mumps_icntl_4$", "it prints"},
    {"verbose", "it prints"},
    {"plot", "it opens a display"},
    {"draw", "it opens a display"},
    {"matlab", "it opens a connection"},
    {"saws", "it opens a connection"},
    {"python", "it runs code"},
    {"dll", "it loads code"},
    {"debug", "it starts a debugger"},
    {"malloc", "it changes the whole process"},
    {"-options_", "it changes the whole process"},
    {"-prefix_", "it changes the whole process"},
    {"-help", "it changes the whole process"},
    {"error_if_not_converged", "a solve that does not converge is a result, not an error"},
};

typedef struct {
  const char *type, *substitute;
} serial_pc;

/* Preconditioners of PETSc that work on one rank only. */
static const serial_pc serial_pcs[] = {
    {"icc", "-pc_type bjacobi -sub_pc_type icc"},
    {"ilu", "-pc_type bjacobi -sub_pc_type ilu"},
    {"cholesky", "-pc_type cholesky -pc_factor_mat_solver_type mumps, or -pc_type bjacobi -sub_pc_type cholesky"},
    {"lu", "-pc_type lu -pc_factor_mat_solver_type mumps, or -pc_type bjacobi -sub_pc_type lu"},
};

static const char *const parallel_factors[] = {"mumps", "superlu_dist", "pastix", "mkl_cpardiso", "strumpack"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* As in PETSc: "-3" is a value, "--ksp_view" is a name. */
static bool is_name(const char *token)
{
  return token[0] == '-' && isalpha((unsigned char)token[token[1] == '-' ? 2 : 1]);
}

static size_t token_length(const char *token) { return strcspn(token, " \t"); }

static const char *skip_blanks(const char *text) { return text + strspn(text, " \t"); }

bool sb_petsc_text_next(const char **cursor, sb_petsc_entry *entry)
{
  const char *token = skip_blanks(*cursor);
  if (!*token) return false;
  *entry = (sb_petsc_entry){.name = token, .value = token};
  if (is_name(token)) {
    entry->name_length = token_length(token);
    token = skip_blanks(token + entry->name_length);
    entry->value = token;
  }
  if (*token && !is_name(token)) entry->value_length = token_length(token);
  *cursor = token + entry->value_length;
  return true;
}

static bool span_is(const char *span, size_t length, const char *word)
{
  return length == strlen(word) && memcmp(span, word, length) == 0;
}

static bool ends_in(const char *text, const char *ending)
{
  const size_t length = strlen(text), end = strlen(ending);
  return length >= end && strcmp(text + length - end, ending) == 0;
}

bool sb_petsc_text_find(const char *text, const char *option, sb_petsc_entry *entry)
{
  sb_petsc_entry one;
  bool           found = false;
  while (sb_petsc_text_next(&text, &one)) {
    if (one.name_length != strlen(option) || strncasecmp(one.name, option, one.name_length) != 0) continue;
    found = true;
    if (entry) *entry = one;
  }
  return found;
}

bool sb_petsc_text_real(const char *text, const char *option, double *value)
{
  sb_petsc_entry entry;
  char           digits[64];
  if (!sb_petsc_text_find(text, option, &entry) || entry.value_length >= sizeof digits) return false;
  memcpy(digits, entry.value, entry.value_length);
  digits[entry.value_length] = '\0';
  return sb_parse_real(digits, value);
}

/* With the names as written in the text. */
static char *expand(const char *text)
{
  const char            *first = skip_blanks(text), *cursor;
  const size_t           length = token_length(first);
  const sb_petsc_preset *preset = NULL;
  sb_petsc_entry         entry;
  size_t                 size = 0;
  char                  *expanded = NULL;
  for (size_t i = 0; i < COUNT(presets); ++i)
    if (span_is(first, length, presets[i]->name)) preset = sb_petsc_preset_at(i);
  if (!preset) return sb_copy_text(text);
  FILE *stream = sb_text_stream(&expanded, &size);
  for (cursor = preset->text; sb_petsc_text_next(&cursor, &entry);) {
    char *name = sb_copy_span(entry.name, entry.name_length);
    if (!sb_petsc_text_find(first + length, name, NULL))
      fprintf(stream, "%s %.*s ", name, (int)entry.value_length, entry.value);
    free(name);
  }
  fputs(skip_blanks(first + length), stream);
  fclose(stream);
  return expanded;
}

/* PETSc's names have no case, its values may have one. In place. */
static char *fold_names(char *text)
{
  const char    *cursor = text;
  sb_petsc_entry entry;
  while (sb_petsc_text_next(&cursor, &entry))
    for (size_t i = 0; i < entry.name_length; ++i) {
      char *letter = text + (entry.name - text) + i;
      if (*letter >= 'A' && *letter <= 'Z') *letter += 'a' - 'A';
    }
  return text;
}

char *sb_petsc_text_expand(const char *text) { return fold_names(expand(text)); }

bool sb_petsc_text_remembers(const char *text, bool one_matrix)
{
  static const struct {
    const char *name, *values; /* NULL: any */
  } known[] = {{"-ksp_type", "cg fcg cr minres gmres fgmres bcgs gcr richardson preonly"},
               {"-pc_type", "none jacobi pbjacobi bjacobi sor icc ilu lu cholesky hypre"},
               {"-sub_pc_type", "none jacobi sor icc ilu lu cholesky"},
               {"-pc_hypre_type", "boomeramg"},
               {"-ksp_rtol", NULL},
               {"-ksp_atol", NULL},
               {"-ksp_max_it", NULL},
               {"-ksp_norm_type", NULL}};
  SB_OWNED char *whole = sb_petsc_text_expand(text);
  const char    *cursor = whole;
  sb_petsc_entry entry;
  bool           forgets = true;
  while (forgets && sb_petsc_text_next(&cursor, &entry)) {
    SB_OWNED char *name = sb_copy_span(entry.name, entry.name_length);
    SB_OWNED char *value = sb_copy_span(entry.value, entry.value_length);
    const bool     is_gamg = strcmp(name, "-pc_type") == 0 && strcmp(value, "gamg") == 0;
    const bool     of_gamg = strncmp(name, "-pc_gamg_", 9) == 0 || strcmp(name, "-mg_levels_pc_type") == 0;
    size_t         i = 0;
    while (i < COUNT(known) && strcmp(known[i].name, name) != 0) ++i;
    forgets = (one_matrix && (is_gamg || of_gamg)) || sb_petsc_text_reports(&entry) ||
              (i < COUNT(known) && (!known[i].values || sb_has_word(known[i].values, value)));
  }
  return !forgets;
}

static bool no_preset(const sb_petsc_entry *entry, sb_location where, sb_diagnostics *diagnostics)
{
  sb_arena   *arena = sb_arena_create();
  const char *word = sb_arena_copy_span(arena, entry->value, entry->value_length);
  sb_error_at(diagnostics, where, "E106",
              "petsc: there is no preset '%s'%s (a text begins with an option, or with one of %s)", word,
              sb_list_suggestion(&sb_petsc_presets, word, arena), sb_list_names(&sb_petsc_presets, ", ", arena));
  sb_arena_destroy(&arena);
  return false;
}

static bool value_is_plain(const sb_petsc_entry *entry)
{
  for (size_t i = 0; i < entry->value_length; ++i) {
    const unsigned char c = (unsigned char)entry->value[i];
    if (c > 126 || !(isalnum(c) || strchr("._+,-", c))) return false;
  }
  return true;
}

bool sb_petsc_text_reports(const sb_petsc_entry *entry)
{
  if (entry->value_length > 0) return false;
  for (size_t i = 0; i < COUNT(reports); ++i) {
    const size_t length = strlen(reports[i]);
    if (entry->name_length > length && strchr("-_", entry->name[entry->name_length - length - 1]) &&
        memcmp(entry->name + entry->name_length - length, reports[i], length) == 0)
      return true;
  }
  return span_is(entry->name, entry->name_length, "-log_view");
}

/* Types of TS that need more than petsc_ts gives them; discgrad and mimex end the process without it. */
static const char *const parted_types[] = {"basicsymplectic", "mprk", "mimex", "discgrad", "irk", "pseudo"};

static const char *find_refusal(const sb_petsc_entry *entry, const refusal *rows, size_t count)
{
  for (size_t i = 0; i < count; ++i) {
    const char  *fragment = rows[i].fragment;
    const size_t length = strcspn(fragment, "$");
    const size_t skipped = fragment[length] && entry->name_length > length ? entry->name_length - length : 0;
    if (memmem(entry->name + skipped, entry->name_length - skipped, fragment, length)) return rows[i].why;
  }
  return NULL;
}

/* One of the values, which commas separate. */
static const char *why_value_refused(const char *value, size_t length, bool is_ts_type)
{
  SB_OWNED char *word = sb_copy_span(value, length);
  if (strcasecmp(word, "python") == 0 || strcasecmp(word, "shell") == 0) return "it runs code";
  if (strcasecmp(word, "eisenstat") == 0)
    return "after an error in a solve PETSc cannot even destroy eisenstat; sor does the same";
  for (size_t i = 0; is_ts_type && i < COUNT(parted_types); ++i)
    if (strncasecmp(word, parted_types[i], strlen(parted_types[i])) == 0)
      return "that type needs the right-hand side in parts, or computes a steady state";
  return NULL;
}

static const char *why_refused(const sb_petsc_entry *entry, sb_petsc_kind kind)
{
  if (sb_petsc_text_reports(entry)) return NULL;
  const char *own = kind == SB_PETSC_NONLINEAR ? find_refusal(entry, nonlinear_refusals, COUNT(nonlinear_refusals))
                    : kind == SB_PETSC_TIME    ? find_refusal(entry, time_refusals, COUNT(time_refusals))
                                               : NULL;
  const char *why = own ? own : find_refusal(entry, refusals, COUNT(refusals));
  const bool  is_ts_type = kind == SB_PETSC_TIME && span_is(entry->name, entry->name_length, "-ts_type");
  for (size_t from = 0, to; !why && from < entry->value_length; from = to + 1) {
    for (to = from; to < entry->value_length && entry->value[to] != ','; ++to) continue;
    why = why_value_refused(entry->value + from, to - from, is_ts_type);
  }
  return why;
}

/* The names that PETSc 3.18 and 3.22 have for integrators, Krylov methods, preconditioners and packages of
 * factorisations: a misspelt one ends a case as not converged, with the matrix to blame. PETSc itself refuses a name
 * that its build or its version lacks. */
static const struct {
  const char *ending, *names;
} names_of[] = {
    {"-ts_type",
     "euler|beuler|basicsymplectic|pseudo|cn|sundials|rk|python|theta|alpha|alpha2|glle|glee|ssp|arkimex|rosw|"
     "eimex|mimex|bdf|radau5|mprk|discgrad|irk|dirk"},
    {"ksp_type",
     "richardson|chebyshev|cg|groppcg|pipecg|pipecgrr|pipelcg|pipeprcg|pipecg2|cgne|nash|stcg|gltr|fcg|pipefcg|"
     "gmres|pipefgmres|fgmres|lgmres|dgmres|pgmres|tcqmr|bcgs|ibcgs|qmrcgs|fbcgs|fbcgsr|bcgsl|pipebcgs|cgs|tfqmr|"
     "cr|pipecr|lsqr|preonly|none|qcg|bicg|minres|symmlq|lcd|python|gcr|pipegcr|tsirm|cgls|fetidp|hpddm"},
    {"pc_type",
     "none|jacobi|sor|lu|qr|shell|amgx|bjacobi|mg|eisenstat|ilu|icc|asm|gasm|ksp|bjkokkos|composite|redundant|spai|"
     "nn|cholesky|pbjacobi|vpbjacobi|mat|hypre|parms|fieldsplit|tfs|ml|galerkin|exotic|cp|bfbt|lsc|python|pfmg|smg|"
     "syspfmg|redistribute|svd|gamg|chowiluviennacl|rowscalingviennacl|saviennacl|bddc|kaczmarz|telescope|patch|"
     "lmvm|hmg|deflation|hpddm|h2opus|mpi"},
    {"factor_mat_solver_type",
     "superlu|superlu_dist|strumpack|umfpack|cholmod|klu|sparseelemental|elemental|scalapack|essl|lusol|mumps|"
     "mkl_pardiso|mkl_cpardiso|pastix|matlab|petsc|bas|cusparse|cusparseband|cuda|hipsparse|hipsparseband|hip|"
     "kokkos|kokkosdevice|spqr|htool"},
};

static bool lists_are_of(const char *version) { return strncmp(SB_PETSC_VERSION, version, strlen(version)) == 0; }

/* A text under check: with its names in lower case, and as it was given, letter by letter. */
typedef struct {
  const char     *text, *given;
  sb_petsc_kind   kind;
  sb_location     where;
  sb_diagnostics *diagnostics;
} checked;

/* "petsc: -ksp_VIEW", for a message. malloc'ed. */
static char *title_of(const checked *c, const sb_petsc_entry *entry)
{
  return sb_format("petsc: %.*s", (int)entry->name_length, c->given + (entry->name - c->text));
}

static bool check_type(const checked *c, const sb_petsc_entry *entry, const char *title)
{
  enum { NAMES_MAX = 128 };
  SB_OWNED char *option = sb_copy_span(entry->name, entry->name_length);
  SB_OWNED char *value = sb_copy_span(entry->value, entry->value_length);
  const char    *names[NAMES_MAX];
  size_t         list = 0, count = 0;
  while (list < COUNT(names_of) && !ends_in(option, names_of[list].ending)) ++list;
  if (list == COUNT(names_of)) return true;
  SB_OWNED char *copy = sb_copy_text(names_of[list].names);
  for (char *rest = NULL, *name = strtok_r(copy, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
    if (strcmp(name, value) == 0) return true;
    names[count++] = name;
  }
  const char *near = sb_nearest_name(value, names, count);
  if (!lists_are_of("3.18.") && !lists_are_of("3.22.")) return true;
  return sb_error_at(c->diagnostics, c->where, "E106",
                     near ? "%s has no value '%s'; did you mean '%s'?" : "%s has no value '%s'", title, value, near);
}

static bool check_name(const checked *c, const sb_petsc_entry *entry)
{
  const int length = (int)entry->name_length;
  if (length == 0) {
    return sb_error_at(c->diagnostics, c->where, "E111",
                       "petsc: '%.*s' follows no option; options are -name or -name value", (int)entry->value_length,
                       entry->value);
  }
  const char    *why = why_refused(entry, c->kind);
  SB_OWNED char *title = title_of(c, entry);
  if (why) return sb_error_at(c->diagnostics, c->where, "E111", "%s is refused: %s", title, why);
  if (!sb_petsc_is_passed(entry, c->kind)) {
    SB_OWNED char *name = sb_copy_span(entry->name, entry->name_length);
    const char    *near = sb_petsc_nearest(name);
    return sb_error_at(c->diagnostics, c->where, "E111",
                       "%s is not on the list of options that springbench passes on (docs/reference/petsc_options.md, "
                       "springbench list petsc_options)%s%s%s",
                       title, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  if (entry->value_length == 0 && length > 5 && memcmp(entry->name + length - 5, "_type", 5) == 0)
    return sb_error_at(c->diagnostics, c->where, "E111", "%s has no value", title);
  if (!value_is_plain(entry)) {
    return sb_error_at(c->diagnostics, c->where, "E111",
                       "petsc: the value of %.*s may have letters, digits and . _ + , - only; got '%.*s'", length,
                       c->given + (entry->name - c->text), (int)entry->value_length, entry->value);
  }
  return check_type(c, entry, title);
}

static bool check_once(const checked *c, const char *rest, const sb_petsc_entry *entry)
{
  sb_petsc_entry other;
  while (sb_petsc_text_next(&rest, &other)) {
    if (other.name_length == entry->name_length && memcmp(other.name, entry->name, entry->name_length) == 0) {
      SB_OWNED char *title = title_of(c, entry);
      return sb_error_at(c->diagnostics, c->where, "E111", "%s is given twice", title);
    }
  }
  return true;
}

static bool check_goal(const char *text, sb_location where, sb_diagnostics *diagnostics)
{
  double value;
  bool   good = true;
  if (sb_petsc_text_find(text, "-ksp_atol", NULL) && !(sb_petsc_text_real(text, "-ksp_atol", &value) && value >= 0.0)) {
    good = sb_error_at(diagnostics, where, "E104", "petsc: -ksp_atol must be a number from 0");
  }
  if (sb_petsc_text_find(text, "-ksp_rtol", NULL) &&
      !(sb_petsc_text_real(text, "-ksp_rtol", &value) && value > 0.0 && value < 1.0)) {
    good = sb_error_at(diagnostics, where, "E104", "petsc: -ksp_rtol must be a number in (0,1)");
  }
  if (sb_petsc_text_find(text, "-ksp_max_it", NULL) &&
      !(sb_petsc_text_real(text, "-ksp_max_it", &value) && value >= 1.0 && value <= 1e9 &&
        value == (double)(long)value)) {
    good = sb_error_at(diagnostics, where, "E104", "petsc: -ksp_max_it must be a whole number in [1,1000000000]");
  }
  return good;
}

static bool factors_in_parallel(const char *text)
{
  sb_petsc_entry entry;
  if (!sb_petsc_text_find(text, "-pc_factor_mat_solver_type", &entry)) return false;
  for (size_t i = 0; i < COUNT(parallel_factors); ++i) {
    if (span_is(entry.value, entry.value_length, parallel_factors[i])) return true;
  }
  return false;
}

static bool check_ranks(const char *text, int ranks, sb_location where, sb_diagnostics *diagnostics)
{
  sb_petsc_entry entry;
  if (ranks == 1 || !sb_petsc_text_find(text, "-pc_type", &entry) || factors_in_parallel(text)) return true;
  for (size_t i = 0; i < COUNT(serial_pcs); ++i) {
    if (span_is(entry.value, entry.value_length, serial_pcs[i].type)) {
      return sb_error_at(diagnostics, where, "E106", "petsc: -pc_type %s cannot run on %d ranks; use %s",
                         serial_pcs[i].type, ranks, serial_pcs[i].substitute);
    }
  }
  return true;
}

bool sb_petsc_text_check(const char *text, sb_petsc_kind kind, int ranks, sb_location where,
                         sb_diagnostics *diagnostics)
{
  SB_OWNED char *given = expand(text), *folded = fold_names(sb_copy_text(given));
  const char    *cursor = folded;
  const checked  c = {.text = folded, .given = given, .kind = kind, .where = where, .diagnostics = diagnostics};
  sb_petsc_entry entry;
  bool           good = true;
  while (sb_petsc_text_next(&cursor, &entry)) {
    if (entry.name_length == 0 && entry.value == skip_blanks(folded) && *entry.value != '-') {
      good = no_preset(&entry, where, diagnostics);
      continue;
    }
    good = check_name(&c, &entry) && good;
    good = (entry.name_length == 0 || check_once(&c, cursor, &entry)) && good;
  }
  good = check_goal(folded, where, diagnostics) && good;
  return check_ranks(folded, ranks, where, diagnostics) && good;
}

static int compare(const void *left, const void *right)
{
  const sb_petsc_entry *a = left, *b = right;
  const size_t          shorter = a->name_length < b->name_length ? a->name_length : b->name_length;
  const int             order = memcmp(a->name, b->name, shorter);
  if (order != 0) return order;
  if (a->name_length != b->name_length) return a->name_length < b->name_length ? -1 : 1;
  return a->name < b->name ? -1 : 1; /* the same name twice stays in order: the last one counts */
}

static void write_entry(FILE *stream, const sb_petsc_entry *entry, bool first)
{
  if (!first) fputc(' ', stream);
  fwrite(entry->name, 1, entry->name_length, stream);
  if (entry->name_length > 0 && entry->value_length > 0) fputc(' ', stream);
  fwrite(entry->value, 1, entry->value_length, stream);
}

char *sb_petsc_text_normalize(const char *given)
{
  SB_OWNED char           *text = sb_petsc_text_expand(given);
  const char              *cursor = text;
  char                    *normal = NULL;
  size_t                   count = 0, length = 0;
  SB_OWNED sb_petsc_entry *entries = sb_allocate(strlen(text) / 2 + 1, sizeof *entries); /* two characters an entry */
  while (sb_petsc_text_next(&cursor, &entries[count])) count++;
  qsort(entries, count, sizeof *entries, compare);
  FILE *stream = sb_text_stream(&normal, &length);
  for (size_t i = 0; i < count; ++i) write_entry(stream, &entries[i], i == 0);
  fclose(stream);
  return normal;
}

bool sb_option_is_petsc_text(sb_option_id id) { return sb_option_at(id)->traits & SB_PETSC_TEXT; }

const char *sb_petsc_probe_settings(const sb_options *options, sb_option_id id)
{
#define STEP      "scene=cloth grid=20 h=0.01 duration=0.01 "
#define ITERATION STEP "integrator=implicit_euler max_iterations=1 gradient_tolerance=0 "
  if (id == SB_ID(petsc_ts)) return STEP "integrator=petsc_ts";
  if (id == SB_ID(petsc_nonlinear)) return ITERATION "minimizer=petsc_nonlinear";
  if (SB_IS(options, minimizer, "local_global")) return ITERATION "minimizer=local_global linear=petsc";
  return ITERATION "minimizer=newton hessian=projected linear=petsc";
#undef ITERATION
#undef STEP
}

bool sb_petsc_option_check(const sb_options *options, sb_option_id id, sb_diagnostics *diagnostics)
{
  const sb_petsc_kind kind = id == SB_ID(petsc)             ? SB_PETSC_LINEAR
                             : id == SB_ID(petsc_nonlinear) ? SB_PETSC_NONLINEAR
                                                            : SB_PETSC_TIME;
  const bool          idle = id == SB_ID(petsc) && !SB_IS(options, linear, "petsc");
  return sb_petsc_text_check(sb_options_text(options, id), kind, idle ? 1 : (int)SB_INTEGER(options, ranks),
                             sb_options_location(options, id), diagnostics);
}
