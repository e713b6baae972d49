/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option table, values from their text, and sets of them; see options.h. */
#include "base/option_ids.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/number.h"
#include "base/quantity.h"

enum { ALIASES_MAX = 7 };
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence)                                                   \
  extern const sb_option_id sb_option_id_##name;                                                                       \
  const sb_option_id        sb_option_id_##name = SB_OPT_##name;
#include "base/options.def"
#undef SB_OPTION
const sb_option_id sb_option_count = SB_OPT_COUNT;

static const sb_alias aliases[SB_OPT_COUNT][ALIASES_MAX + 1] = {
#define SB_OPTION_ALIASES(option, ...) [SB_OPT_##option] = {__VA_ARGS__},
#include "base/option_aliases.def"
#undef SB_OPTION_ALIASES
};

static const sb_option table[SB_OPT_COUNT] = {
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence)                                                   \
  {{{#name, sentence, NULL, NULL, NULL, NULL, aliases[SB_OPT_##name], NULL}},                                          \
   SB_KIND_##kind,                                                                                                     \
   unit,                                                                                                               \
   preset,                                                                                                             \
   range,                                                                                                              \
   traits},
#include "base/options.def"
#undef SB_OPTION
};

/* ---- the table ---- */

const sb_option *sb_option_at(sb_option_id id)
{
  assert((unsigned)id < SB_OPT_COUNT);
  return &table[id];
}

enum { SLOTS = 1024 };              /* a power of two, at most half of it taken */
static short          slots[SLOTS]; /* 1 + id, or 0 */
static pthread_once_t slots_filled = PTHREAD_ONCE_INIT;

_Static_assert(2 * SB_OPT_COUNT <= SLOTS, "a search ends at a free slot");

static unsigned first_slot(const char *name)
{
  unsigned hash = 2166136261u; /* FNV-1a */
  for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return (hash ^ hash >> 16) % SLOTS;
}

static void fill_slots(void)
{
  for (short i = 0; i < SB_OPT_COUNT; ++i) {
    unsigned slot = first_slot(table[i].name);
    while (slots[slot]) slot = (slot + 1) % SLOTS;
    slots[slot] = (short)(i + 1);
  }
}

/* Tables and claims look up each value of each case by its name. */
sb_option_id sb_option_find(const char *name)
{
  pthread_once(&slots_filled, fill_slots);
  for (unsigned slot = first_slot(name); slots[slot]; slot = (slot + 1) % SLOTS)
    if (strcmp(table[slots[slot] - 1].name, name) == 0) return (sb_option_id)(slots[slot] - 1);
  return SB_OPT_COUNT;
}

bool sb_option_takes_word(sb_option_id id) { return table[id].kind == SB_KIND_REAL && strchr(table[id].range, '|'); }

const char *sb_option_kind_name(sb_option_kind kind)
{
  static const char *const names[] = {
      [SB_KIND_BOOL] = "true or false",
      [SB_KIND_INTEGER] = "integer",
      [SB_KIND_REAL] = "real",
      [SB_KIND_NAME] = "name",
      [SB_KIND_TEXT] = "text",
      [SB_KIND_VECTOR] = "vector",
      [SB_KIND_SELECTION] = "name or list",
      [SB_KIND_COMPOSITE] = "kind:part=value,…",
  };
  return names[kind];
}

bool sb_option_unknown(const char *name, sb_location where, sb_diagnostics *diagnostics)
{
  sb_arena   *arena = sb_arena_create();
  const char *near = sb_diagnostics_full(diagnostics) ? "" : sb_list_suggestion(&sb_option_entries, name, arena);
  sb_error_at(diagnostics, where, "E101", "unknown option '%s'%s", name, near);
  sb_arena_destroy(&arena);
  return false;
}

/* ---- from the text of an option to its value ---- */

/* A value of any kind with its canonical text. */
typedef struct {
  bool     flag;
  int64_t  integer;
  double   real;
  double   vector[3];
  size_t   count;   /* of a SELECTION that is a list */
  int64_t *numbers; /* owned */
  char    *text;    /* owned, canonical */

  sb_composite *composites; /* owned */
  size_t        composite_count;
} sb_option_value;

enum { NUMBERS_MAX = 1000000, NAME_LENGTH_MAX = 64 };
static const int64_t exact_max = (int64_t)1 << 53; /* beyond, a double, by which ranges are checked, skips integers */

/* The state of a parser. */
typedef struct {
  const sb_option     *option;
  const sb_vocabulary *vocabulary;
  const char          *text;
  sb_location          where;
  sb_diagnostics      *diagnostics;
} request;

static void clear_value(sb_option_value *value)
{
  free(value->numbers);
  free(value->text);
  sb_composites_free(&value->composites, &value->composite_count);
  *value = (sb_option_value){0};
}

static bool wrong_type(const request *r, const char *expected)
{
  return sb_error_at(r->diagnostics, r->where, "E102", "option '%s' takes %s; got '%s'", r->option->name, expected,
                     r->text);
}

static bool not_finite(const request *r)
{
  return sb_error_at(r->diagnostics, r->where, "E103", "option '%s' takes a finite number; got '%s'", r->option->name,
                     r->text);
}

/* A range may begin with a word, in place of a number that the program finds: "auto|(0,2)". */
static const char *interval_of(const sb_option *option)
{
  const char *bar = strchr(option->range, '|');
  return bar ? bar + 1 : option->range;
}

static bool is_word_of(const sb_option *option, const char *text)
{
  const size_t length = (size_t)(interval_of(option) - option->range);
  return length > 0 && strlen(text) == length - 1 && strncmp(text, option->range, length - 1) == 0;
}

static bool check_range(const request *r, double value)
{
  if (sb_in_interval(interval_of(r->option), value)) return true;
  return sb_error_at(r->diagnostics, r->where, "E104", "option '%s' is out of range (allowed: %s%s%s); got '%s'",
                     r->option->name, r->option->range, *r->option->unit ? " " : "", r->option->unit, r->text);
}

static bool parse_bool(const request *r, sb_option_value *value)
{
  const bool yes = strcmp(r->text, "true") == 0 || strcmp(r->text, "yes") == 0;
  if (!yes && strcmp(r->text, "false") != 0 && strcmp(r->text, "no") != 0) return wrong_type(r, "true or false");
  value->flag = yes;
  value->text = sb_copy_text(yes ? "true" : "false");
  return true;
}

static bool parse_integer(const request *r, sb_option_value *value)
{
  const sb_number read = sb_read_integer(r->text, &value->integer);
  if (read == SB_NUMBER_MALFORMED) return wrong_type(r, "a whole number");
  if (read == SB_NUMBER_BEYOND || value->integer > exact_max || value->integer < -exact_max)
    return sb_error_at(r->diagnostics, r->where, "E105", "option '%s' overflows (allowed: %s); got '%s'",
                       r->option->name, r->option->range, r->text);
  if (!check_range(r, (double)value->integer)) return false;
  value->text = sb_format("%lld", (long long)value->integer);
  return true;
}

/* "needs a number in s or auto". */
static bool other_unit(const request *r)
{
  const char *unit = r->option->unit, *range = r->option->range;
  const int   word = (int)(interval_of(r->option) == range ? 0 : strcspn(range, "|"));
  return sb_error_at(r->diagnostics, r->where, "E102", "option '%s' takes %s %s%s%s%.*s; got '%s'", r->option->name,
                     r->option->kind == SB_KIND_VECTOR ? "three numbers" : "a number", *unit ? "in " : "without a unit",
                     unit, word > 0 ? " or " : "", word, range, r->text);
}

static bool read_real(const request *r, const char *text, double *real)
{
  switch (sb_read_quantity(text, r->option->unit, real)) {
  case SB_NUMBER_OTHER_UNIT:
    return other_unit(r);
  case SB_NUMBER_MALFORMED:
    if (interval_of(r->option) == r->option->range)
      return wrong_type(r, r->option->kind == SB_KIND_VECTOR ? "three numbers as [x,y,z]" : "a number");
    return sb_error_at(r->diagnostics, r->where, "E102", "option '%s' takes a number or %.*s; got '%s'",
                       r->option->name, (int)strcspn(r->option->range, "|"), r->option->range, r->text);
  case SB_NUMBER_BEYOND:
    return not_finite(r);
  case SB_NUMBER_READ:
    break;
  }
  *real += 0.0; /* -0 is 0: equal values have equal text, hence equal keys */
  return check_range(r, *real);
}

static bool parse_real(const request *r, sb_option_value *value)
{
  char buffer[32];
  if (is_word_of(r->option, r->text)) {
    value->real = NAN;
    value->text = sb_copy_text(r->text);
    return true;
  }
  if (!read_real(r, r->text, &value->real)) return false;
  value->text = sb_copy_text(sb_format_real(value->real, buffer));
  return true;
}

/* Splits "[a, b, c]" into its items, spaces around them dropped. False when the brackets are not there. */
static bool split_list(const char *text, char **storage, size_t *count, char ***items)
{
  const size_t length = strlen(text);
  *storage = NULL;
  *items = NULL;
  *count = 0;
  if (length < 2 || text[0] != '[' || text[length - 1] != ']') return false;
  *storage = sb_copy_span(text + 1, length - 2);
  size_t capacity = 1;
  for (const char *c = *storage; *c; ++c) capacity += *c == ',';
  *items = sb_allocate(capacity, sizeof **items);
  char *rest = *storage, *item = NULL;
  while ((item = strsep(&rest, ",")) != NULL) {
    while (isspace((unsigned char)*item)) ++item;
    size_t end = strlen(item);
    while (end > 0 && isspace((unsigned char)item[end - 1])) item[--end] = '\0';
    (*items)[(*count)++] = item;
  }
  return true;
}

static bool parse_vector(const request *r, sb_option_value *value)
{
  const char    *bracket = strrchr(r->text, ']');
  SB_OWNED char *list = sb_copy_span(r->text, bracket ? (size_t)(bracket + 1 - r->text) : 0);
  char          *storage = NULL, **items = NULL;
  size_t         count = 0;
  bool           good = split_list(list, &storage, &count, &items);
  if (!good || count != 3) good = wrong_type(r, "three numbers as [x,y,z]");
  for (size_t i = 0; good && i < 3; ++i) { /* "[0,0,-9.8] m/s^2" has one unit for all */
    SB_OWNED char *item = sb_format("%s%s", items[i], bracket + 1);
    good = read_real(r, item, &value->vector[i]);
  }
  if (good) {
    char x[32], y[32], z[32];
    sb_format_real(value->vector[0], x);
    sb_format_real(value->vector[1], y);
    sb_format_real(value->vector[2], z);
    value->text = sb_format("[%s,%s,%s]", x, y, z);
  }
  free(items);
  free(storage);
  return good;
}

/* "every:#" means every:<positive integer>. */
static bool matches_choice(const char *choice, size_t length, const char *text)
{
  if (length > 0 && choice[length - 1] == '#') {
    int64_t number = 0;
    return strncmp(text, choice, length - 1) == 0 && sb_parse_integer(text + length - 1, &number) && number > 0;
  }
  return strlen(text) == length && strncmp(text, choice, length) == 0;
}

static bool is_choice(const char *choices, const char *text)
{
  while (*choices) {
    const size_t length = strcspn(choices, "|");
    if (matches_choice(choices, length, text)) return true;
    choices += length + (choices[length] == '|');
  }
  return false;
}

const sb_list *sb_vocabulary_list(const sb_vocabulary *vocabulary, const char *family)
{
  for (size_t i = 0; vocabulary && i < vocabulary->count; ++i) {
    const char *other = vocabulary->lists[i]->family;
    if (*other == *family && strcmp(other, family) == 0) return vocabulary->lists[i];
  }
  return NULL;
}

const sb_list *sb_option_list(sb_option_id id, const sb_vocabulary *vocabulary)
{
  return *table[id].range == '@' ? sb_vocabulary_list(vocabulary, table[id].range + 1) : NULL;
}

static bool looks_like_name(const char *text)
{
  const size_t length = strlen(text);
  return length > 0 && length <= NAME_LENGTH_MAX &&
         text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_+")] == '\0';
}

/* "every:0" stands for "every:#". */
static bool is_count_of(const char *choice, const char *text)
{
  const size_t length = strcspn(choice, "|");
  int64_t      number = 0;
  return length > 0 && choice[length - 1] == '#' && strncmp(text, choice, length - 1) == 0 &&
         sb_read_integer(text + length - 1, &number) != SB_NUMBER_MALFORMED;
}

/* The word of a range "none|final" that the user may have meant, or NULL. */
static const char *nearest_word(const char *range, const char *text, sb_arena *arena)
{
  const char *names[32];
  size_t      count = 0;
  char       *rest = sb_arena_copy(arena, range), *item = NULL;
  while ((item = strsep(&rest, "|")) != NULL && count < 32) names[count++] = item;
  return sb_nearest_name(text, names, count);
}

/* Lists the words of an option's range; a near one comes first as a suggestion. */
static bool refuse_word(const request *r)
{
  const char *range = r->option->range, *name = r->option->name, *all = "";
  for (const char *c = range; *c; c += strcspn(c, "|"), c += *c == '|')
    if (is_count_of(c, r->text))
      return sb_error_at(r->diagnostics, r->where, "E104",
                         "option '%s' is out of range (allowed: %s, # a number from 1); got '%s'", name, range,
                         r->text);
  sb_arena   *arena = sb_arena_create();
  const char *near = nearest_word(range, r->text, arena);
  for (const char *c = range; *c; c += strcspn(c, "|"), c += *c == '|')
    all = sb_arena_format(arena, "%s%s%.*s", all, *all ? ", " : "", (int)strcspn(c, "|"), c);
  sb_error_at(r->diagnostics, r->where, "E106", "unknown %s '%s'%s%s%s (choices: %s)", name, r->text,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
  sb_arena_destroy(&arena);
  return false;
}

/* Refuses a text that is not a choice of an option. If the option has a known list, the choices are its names. */
static bool refuse_choice(const request *r, const sb_list *list)
{
  if (*r->option->range != '@') return refuse_word(r);
  if (!list) return wrong_type(r, "a name");
  sb_arena *arena = sb_arena_create();
  sb_error_at(r->diagnostics, r->where, "E106", "unknown %s '%s'%s (choices: %s)", r->option->name, r->text,
              sb_list_suggestion(list, r->text, arena), sb_list_names(list, ", ", arena));
  sb_arena_destroy(&arena);
  return false;
}

/* True if the text is a choice of the option; for an unknown list, true if it may be a name. */
static bool is_name_of(const sb_option *option, const sb_list *list, const char *text)
{
  if (*option->range != '@') return is_choice(option->range, text);
  return sb_list_find(list, text) || ((!list || list->open) && looks_like_name(text));
}

static const sb_list *list_of(const request *r)
{
  return sb_option_list((sb_option_id)(r->option - table), r->vocabulary);
}

static bool parse_name(const request *r, sb_option_value *value)
{
  const sb_list *list = list_of(r);
  if (!is_name_of(r->option, list, r->text)) return refuse_choice(r, list);
  value->text = sb_copy_text(r->text);
  return true;
}

bool sb_option_may_be(sb_option_id id, const sb_vocabulary *vocabulary, const char *text, char **near)
{
  const sb_option *option = sb_option_at(id);
  const sb_list   *list = sb_option_list(id, vocabulary);
  *near = NULL;
  if (sb_option_takes_word(id)) return is_word_of(option, text);
  if (option->kind != SB_KIND_NAME || (*option->range == '@' && !list)) return true;
  if (is_name_of(option, list, text)) return true;
  sb_arena   *arena = sb_arena_create();
  const char *with = NULL;
  const char *meant = list ? sb_list_meant(list, text, &with) : nearest_word(option->range, text, arena);
  if (meant) *near = sb_copy_text(meant);
  sb_arena_destroy(&arena);
  return false;
}

static bool parse_text(const request *r, sb_option_value *value)
{
  if (!sb_is_printable(r->text)) return wrong_type(r, "printable text");
  value->text = sb_copy_text(r->text);
  return true;
}

/* One item of a selection: a number, or an inclusive range a:b. */
static bool add_numbers(const request *r, char *item, sb_option_value *value)
{
  char   *colon = strchr(item, ':');
  int64_t low = 0, high = 0;
  if (colon) *colon = '\0';
  const sb_number first = sb_read_integer(item, &low), last = sb_read_integer(colon ? colon + 1 : item, &high);
  if (first == SB_NUMBER_MALFORMED || last == SB_NUMBER_MALFORMED)
    return wrong_type(r, "a list of numbers and ranges such as [0,3,10:12]");
  if (first == SB_NUMBER_BEYOND || last == SB_NUMBER_BEYOND)
    return sb_error_at(r->diagnostics, r->where, "E105", "option '%s' has a number that overflows; got '%s'",
                       r->option->name, r->text);
  if (low < 0 || high < low || high - low >= NUMBERS_MAX || value->count + (size_t)(high - low) >= NUMBERS_MAX)
    return sb_error_at(r->diagnostics, r->where, "E104",
                       "option '%s' takes rising, non-negative numbers, at most %d of them; got '%s'", r->option->name,
                       NUMBERS_MAX, r->text);
  if ((r->option->traits & SB_RISING) && value->count > 0 && low <= value->numbers[value->count - 1])
    return sb_error_at(r->diagnostics, r->where, "E104", "option '%s' takes rising numbers; got '%s'", r->option->name,
                       r->text);
  int64_t *numbers = realloc(value->numbers, (value->count + (size_t)(high - low) + 1) * sizeof *numbers);
  if (!numbers) return false;
  value->numbers = numbers;
  for (int64_t i = low; i <= high; ++i) value->numbers[value->count++] = i;
  return true;
}

/* Canonical text of a list: the numbers, runs of three and more as ranges. */
static char *selection_text(const sb_option_value *value)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  fputc('[', stream);
  for (size_t i = 0; i < value->count;) {
    size_t j = i;
    while (j + 1 < value->count && value->numbers[j + 1] == value->numbers[j] + 1) ++j;
    if (j < i + 2) j = i;
    fprintf(stream, "%s%lld", i ? "," : "", (long long)value->numbers[i]);
    if (j > i) fprintf(stream, ":%lld", (long long)value->numbers[j]);
    i = j + 1;
  }
  fputc(']', stream);
  fclose(stream);
  return text;
}

static bool parse_selection(const request *r, sb_option_value *value)
{
  const sb_list *list = list_of(r);
  if (is_name_of(r->option, list, r->text) && !isdigit((unsigned char)*r->text)) {
    value->text = sb_copy_text(r->text);
    return true;
  }
  /* A bare range or number is a list of one item. */
  char  *bracketed = isdigit((unsigned char)r->text[0]) ? sb_format("[%s]", r->text) : sb_copy_text(r->text);
  char  *storage = NULL, **items = NULL;
  size_t count = 0;
  bool   good = split_list(bracketed, &storage, &count, &items);
  if (!good) refuse_choice(r, list);
  for (size_t i = 0; good && i < count; ++i) good = add_numbers(r, items[i], value);
  if (good) value->text = selection_text(value);
  free(items);
  free(storage);
  free(bracketed);
  return good;
}

static bool parse_composite(const request *r, sb_option_value *value)
{
  const sb_list *list = list_of(r);
  if (strcmp(r->text, "none") == 0) {
    value->text = sb_copy_text(r->text);
    return true;
  }
  if (!list) return wrong_type(r, "none");
  value->composites =
      sb_composites_read(r->option->name, list, r->text, r->where, r->diagnostics, &value->composite_count);
  if (!value->composites) return false;
  value->text = sb_composites_text(value->composites, value->composite_count);
  return true;
}

/* False and a diagnostic; `value` is then untouched. */
static bool parse_value(const sb_option *option, const sb_vocabulary *vocabulary, const char *text, sb_location where,
                        sb_diagnostics *diagnostics, sb_option_value *value)
{
  static bool (*const parsers[])(const request *, sb_option_value *) = {
      [SB_KIND_BOOL] = parse_bool,           [SB_KIND_INTEGER] = parse_integer,     [SB_KIND_REAL] = parse_real,
      [SB_KIND_NAME] = parse_name,           [SB_KIND_TEXT] = parse_text,           [SB_KIND_VECTOR] = parse_vector,
      [SB_KIND_SELECTION] = parse_selection, [SB_KIND_COMPOSITE] = parse_composite,
  };
  const request r = {option, vocabulary, text, where, diagnostics};
  if (*text == '\0' && option->kind != SB_KIND_TEXT) return wrong_type(&r, "a value");
  sb_option_value parsed = {0};
  if (!parsers[option->kind](&r, &parsed) || !parsed.text) {
    clear_value(&parsed);
    return false;
  }
  *value = parsed;
  return true;
}

/* ---- sets ---- */

/* A value as it was given. It does not change, so a copied set shares its values with the copy. A sweep of 100 000
 * cases has as many sets, which differ in few values. */
typedef struct {
  size_t          owners;
  sb_origin       origin;
  sb_location     where;
  char           *given; /* owned: the text it was read from */
  sb_option_value value;
} setting;

/* Data shared by a set and its copies: the last texts read for each option, which cases of a sweep read again. */
typedef struct {
  size_t               owners;
  const sb_vocabulary *vocabulary;
  bool                *asked; /* [SB_OPT_COUNT] sb_options_record; NULL: not recorded */
  setting             *last[SB_OPT_COUNT];
} ancestry;

struct sb_options {
  ancestry *common;
  setting  *settings[SB_OPT_COUNT]; /* NULL: no value */
};

static setting *share(setting *s)
{
  if (s) ++s->owners;
  return s;
}

static void drop(setting **s)
{
  setting *old = *s;
  *s = NULL;
  if (!old || --old->owners > 0) return;
  clear_value(&old->value);
  free(old->given);
  free(old);
}

sb_options *sb_options_create(const sb_vocabulary *vocabulary)
{
  sb_options *options = sb_allocate(1, sizeof *options);
  options->common = sb_allocate(1, sizeof *options->common);
  *options->common = (ancestry){.owners = 1, .vocabulary = vocabulary};
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    if (!table[i].preset) continue;
    if (!sb_options_set(options, (sb_option_id)i, table[i].preset, SB_FROM_TABLE, (sb_location){0}, NULL)) {
      sb_options_destroy(&options);
      return NULL;
    }
  }
  return options;
}

sb_options *sb_options_copy(const sb_options *options)
{
  sb_options *copy = sb_allocate(1, sizeof *copy);
  copy->common = options->common;
  ++copy->common->owners;
  for (int i = 0; i < SB_OPT_COUNT; ++i) copy->settings[i] = share(options->settings[i]);
  return copy;
}

sb_options *sb_options_with(const sb_options *options, const char *const *pairs)
{
  sb_options *copy = sb_options_copy(options);
  for (; *pairs; ++pairs) {
    const bool good = sb_options_set_pair(copy, *pairs, SB_FROM_SCENE, (sb_location){0}, NULL);
    assert(good);
    (void)good;
  }
  return copy;
}

static void drop_ancestry(ancestry *common)
{
  if (--common->owners > 0) return;
  for (int i = 0; i < SB_OPT_COUNT; ++i) drop(&common->last[i]);
  free(common);
}

void sb_options_destroy(sb_options **options)
{
  if (!*options) return;
  for (int i = 0; i < SB_OPT_COUNT; ++i) drop(&(*options)->settings[i]);
  drop_ancestry((*options)->common);
  free(*options);
  *options = NULL;
}

static void end_options(void *object)
{
  sb_options *options = object;
  sb_options_destroy(&options);
}

sb_options *sb_options_keep(sb_options *options, sb_arena *arena)
{
  if (options) sb_arena_defer(arena, end_options, options);
  return options;
}

const sb_vocabulary *sb_options_vocabulary(const sb_options *options) { return options->common->vocabulary; }

static bool is_same_place(sb_location a, sb_location b)
{
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* The last setting read of this option, if it has this text. */
static setting *find_last(const sb_options *options, sb_option_id id, const char *text, sb_origin origin,
                          sb_location where)
{
  setting   *last = options->common->last[id];
  const bool again =
      last && last->origin == origin && is_same_place(last->where, where) && strcmp(last->given, text) == 0;
  return again ? last : NULL;
}

bool sb_options_set(sb_options *options, sb_option_id id, const char *text, sb_origin origin, sb_location where,
                    sb_diagnostics *diagnostics)
{
  setting *read = share(find_last(options, id, text, origin, where));
  if (!read) {
    sb_option_value value;
    if (!parse_value(&table[id], options->common->vocabulary, text, where, diagnostics, &value)) return false;
    read = sb_allocate(1, sizeof *read);
    *read = (setting){.owners = 1, .origin = origin, .where = where, .given = sb_copy_text(text), .value = value};
    drop(&options->common->last[id]);
    options->common->last[id] = share(read);
  }
  drop(&options->settings[id]);
  options->settings[id] = read;
  return true;
}

bool sb_options_set_pair(sb_options *options, const char *pair, sb_origin origin, sb_location where,
                         sb_diagnostics *diagnostics)
{
  const char *equals = strchr(pair, '=');
  if (!equals || equals == pair)
    return sb_error_at(diagnostics, where, "E101", "expected OPTION=VALUE; got '%s'", pair);
  char              *name = sb_copy_span(pair, (size_t)(equals - pair));
  const sb_option_id id = sb_option_find(name);
  const bool         good = id != SB_OPT_COUNT || sb_option_unknown(name, where, diagnostics);
  free(name);
  return good && sb_options_set(options, id, equals + 1, origin, where, diagnostics);
}

void sb_options_unset(sb_options *options, sb_option_id id) { drop(&options->settings[id]); }

bool *sb_options_record(const sb_options *options, bool *asked)
{
  bool *before = options->common->asked;
  options->common->asked = asked;
  return before;
}

/* The setting of an option, for a caller who asks for its value. */
static const setting *ask(const sb_options *options, sb_option_id id)
{
  if (options->common->asked) options->common->asked[id] = true;
  return options->settings[id];
}

bool sb_options_has(const sb_options *options, sb_option_id id) { return ask(options, id) != NULL; }

sb_origin sb_options_origin(const sb_options *options, sb_option_id id)
{
  return options->settings[id] ? options->settings[id]->origin : SB_FROM_NOBODY;
}

sb_location sb_options_location(const sb_options *options, sb_option_id id)
{
  return options->settings[id] ? options->settings[id]->where : (sb_location){0};
}

sb_origin sb_option_stored_origin(sb_option_id id)
{
  return table[id].traits & SB_STANDS_FOR_OTHERS ? SB_FROM_SCENE : SB_FROM_USER;
}

sb_location sb_options_blame(const sb_options *options, sb_option_id id)
{
  const bool given = sb_options_origin(options, id) == SB_FROM_USER;
  return sb_options_location(options, given ? id : SB_OPT_scene);
}

bool sb_option_excludes(sb_option_id a, sb_option_id b)
{
  const unsigned states =
      SB_STATES_TIME | SB_STATES_MASSES | SB_STATES_STIFFNESSES | SB_STATES_DAMPING | SB_STATES_NOISE;
  return table[a].traits & table[b].traits & states && (table[a].traits ^ table[b].traits) & SB_INSTEAD;
}

static const sb_option_value *read_value(const sb_options *options, sb_option_id id, sb_option_kind kind)
{
  const setting *set = ask(options, id);
  assert(set && table[id].kind == kind);
  (void)kind;
  return &set->value;
}

bool sb_options_flag(const sb_options *options, sb_option_id id) { return read_value(options, id, SB_KIND_BOOL)->flag; }

int64_t sb_options_integer(const sb_options *options, sb_option_id id)
{
  return read_value(options, id, SB_KIND_INTEGER)->integer;
}

double sb_options_real(const sb_options *options, sb_option_id id)
{
  return read_value(options, id, SB_KIND_REAL)->real;
}

const double *sb_options_vector(const sb_options *options, sb_option_id id)
{
  return read_value(options, id, SB_KIND_VECTOR)->vector;
}

const char *sb_options_peek(const sb_options *options, sb_option_id id)
{
  return options->settings[id] ? options->settings[id]->value.text : "";
}

const char *sb_options_text(const sb_options *options, sb_option_id id)
{
  const setting *set = ask(options, id);
  return set ? set->value.text : "";
}

bool sb_options_differ(const sb_options *options, sb_option_id id)
{
  if (!sb_options_has(options, id)) return false;
  const double *v = table[id].kind == SB_KIND_VECTOR ? sb_options_vector(options, id) : NULL;
  if (v) return v[0] != 0 || v[1] != 0 || v[2] != 0;
  return strcmp(sb_options_text(options, id), table[id].preset ? table[id].preset : "") != 0;
}

bool sb_options_numbers(const sb_options *options, sb_option_id id, size_t *count, int64_t **numbers)
{
  const setting *set = ask(options, id);
  *count = 0;
  *numbers = NULL;
  if (table[id].kind != SB_KIND_SELECTION || !set || set->value.count == 0) return false;
  const sb_option_value *value = &set->value;
  *numbers = sb_allocate(value->count, sizeof **numbers);
  memcpy(*numbers, value->numbers, value->count * sizeof **numbers);
  *count = value->count;
  return true;
}

const sb_composite *sb_options_composites(const sb_options *options, sb_option_id id, size_t *count)
{
  const setting *set = ask(options, id);
  assert(table[id].kind == SB_KIND_COMPOSITE);
  *count = set ? set->value.composite_count : 0;
  return set ? set->value.composites : NULL;
}

/* ---- the options as a list ---- */

/* The values of an option: "[0,1]", "a, b, every:N", "springbench list scenes". */
static const char *allowed(sb_arena *arena, const char *range)
{
  sb_arena_writer writer;
  if (*range == '@') return sb_arena_format(arena, "springbench list %s", range + 1);
  if (!strchr(range, '|')) return range;
  FILE *stream = sb_arena_write(&writer, arena);
  for (const char *c = range; *c; ++c)
    fprintf(stream, "%s%.1s", *c == '|' ? ", " : "", *c == '|' ? "" : *c == '#' ? "N" : c);
  return sb_arena_text(&writer);
}

const char *sb_option_section(sb_option_id id)
{
  static const struct {
    const char  *title; /* NULL: */
    sb_option_id id;
  } lines[] = {
#define SB_SECTION(title)                                            {title, SB_OPT_COUNT},
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence) {NULL, SB_OPT_##name},
#include "base/options.def"
  };
#undef SB_OPTION
  const char *section = "";
  for (size_t i = 0; lines[i].title || lines[i].id != id; ++i)
    if (lines[i].title) section = lines[i].title;
  return section;
}

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_option *option = (const void *)entry;
  sb_describe_claim(d, option->traits & SB_STORED_ONLY, "affects only storage: not part of a case's key");
  sb_describe_claim(d, option->traits & SB_LIMIT_ONLY, "limits a case: not part of its key");
  sb_describe_text(d, "section", sb_option_section((sb_option_id)(option - table)));
  sb_describe_text(d, "type", sb_option_kind_name(option->kind));
  sb_describe_text(d, "unit", option->unit);
  sb_describe_text(d, "default", option->preset ? option->preset : "");
  sb_describe_text(d, "allowed", allowed(d->arena, option->range));
}

static const sb_entry *const entries[] = {
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence) &table[SB_OPT_##name].entry,
#include "base/options.def"
#undef SB_OPTION
};

const sb_list sb_option_entries = {
    .family = "options",
    .title = "Options of a case",
    .about =
        "Given as KEY=VALUE to `springbench case`, and as keys of a sweep file. A scene's default replaces the "
        "one here. Its unit, or a multiple of the unit, may follow a number: `h=1ms`, `stiffness=10N/m`. Words under "
        "\"suggested for\" are not accepted; the message for them names the option.",
    .brief = true,
    SB_LIST_ENTRIES(entries),
    .describe = describe,
};
