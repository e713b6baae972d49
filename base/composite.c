/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composite values: from text to checked parts and back; see composite.h. */
#include "base/composite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/nearest_name.h"
#include "base/number.h"
#include "base/quantity.h"

enum { REASON_LENGTH = 240 };

/* The state of a reader; the form is known once the kind has been read. */
typedef struct {
  const char     *option;
  const sb_list  *forms;
  const sb_form  *form;
  sb_location     where;
  sb_diagnostics *diagnostics;
} reader;

void sb_composites_free(sb_composite **items, size_t *count)
{
  for (size_t i = 0; i < *count; ++i)
    for (size_t p = 0; p < SB_PARTS_MAX; ++p) free((*items)[i].formula[p]);
  free(*items);
  *items = NULL;
  *count = 0;
}

sb_composite *sb_composites_copy(const sb_composite *items, size_t count)
{
  if (count == 0) return NULL;
  sb_composite *copy = sb_allocate(count, sizeof *copy);
  for (size_t i = 0; i < count; ++i) {
    copy[i].form = items[i].form;
    memcpy(copy[i].number, items[i].number, sizeof items[i].number);
    for (size_t p = 0; p < SB_PARTS_MAX; ++p)
      if (items[i].formula[p]) copy[i].formula[p] = sb_copy_text(items[i].formula[p]);
  }
  return copy;
}

/* The characters before the first `stop` outside of brackets, or before the end. */
static size_t span_of(const char *text, size_t length, char stop)
{
  int depth = 0;
  for (size_t i = 0; i < length; ++i) {
    if (text[i] == stop && depth == 0) return i;
    depth += (text[i] == '[' || text[i] == '(') - (text[i] == ']' || text[i] == ')');
  }
  return length;
}

static bool brackets_match(const char *text)
{
  int round = 0, square = 0;
  for (const char *c = text; *c; ++c) {
    round += (*c == '(') - (*c == ')');
    square += (*c == '[') - (*c == ']');
    if (round < 0 || square < 0) return false;
  }
  return round == 0 && square == 0;
}

/* A copy without the spaces around it; NULL when memory is out. */
static char *trimmed(const char *text, size_t length)
{
  while (length > 0 && *text == ' ') ++text, --length;
  while (length > 0 && text[length - 1] == ' ') --length;
  return sb_copy_span(text, length);
}

/* Brackets around a list, or parts of it, removed: the text between them. NULL when they are not there. */
static const char *inside_brackets(const char *text, size_t *length)
{
  const size_t all = strlen(text);
  if (all < 2 || text[0] != '[' || text[all - 1] != ']') return NULL;
  *length = all - 2;
  return text + 1;
}

/* "strength (m^3/s^2), centre ([x,y,z] m, default [0,0,0])"; "" without parts. */
static void write_parts(FILE *stream, const sb_form *form)
{
  for (size_t p = 0; p < form->parts; ++p) {
    const sb_part *part = &form->part[p];
    const char    *shape = part->kind == SB_PART_VECTOR ? "[x,y,z]" : part->kind == SB_PART_FORMULA ? "formula" : "";
    fprintf(stream, "%s%s", p ? ", " : "", part->name);
    if (*shape || *part->unit || part->preset) fputs(" (", stream);
    fprintf(stream, "%s%s%s", shape, *shape && *part->unit ? " " : "", part->unit);
    if (part->preset) fprintf(stream, "%sdefault %s", *shape || *part->unit ? ", " : "", part->preset);
    if (*shape || *part->unit || part->preset) fputc(')', stream);
  }
}

static bool unknown_kind(const reader *r, const char *kind)
{
  sb_arena *arena = sb_arena_create();
  sb_error_at(r->diagnostics, r->where, "E106", "unknown %s '%s'%s (choices: none, %s)", r->option, kind,
              sb_list_suggestion(r->forms, kind, arena), sb_list_names(r->forms, ", ", arena));
  sb_arena_destroy(&arena);
  return false;
}

/* "option 'wind': <what>; attractor has strength (m^3/s^2), …". */
static bool refuse_part(const reader *r, const char *code, const char *what)
{
  char  *parts = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&parts, &length);
  write_parts(stream, r->form);
  fclose(stream);
  sb_error_at(r->diagnostics, r->where, code, "option '%s': %s; %s has %s", r->option, what, r->form->name,
              *parts ? parts : "no parts");
  free(parts);
  return false;
}

static bool unknown_part(const reader *r, const char *name)
{
  const char *names[SB_PARTS_MAX];
  char        what[REASON_LENGTH];
  for (size_t p = 0; p < r->form->parts; ++p) names[p] = r->form->part[p].name;
  const char *near = sb_nearest_name(name, names, r->form->parts);
  snprintf(what, sizeof what, "%s has no part '%.80s'%s%s%s", r->form->name, name, near ? "; did you mean '" : "",
           near ? near : "", near ? "'?" : "");
  return refuse_part(r, "E101", what);
}

static bool wrong_value(const reader *r, const sb_part *part, const char *code, const char *takes, const char *text)
{
  return sb_error_at(r->diagnostics, r->where, code, "option '%s': %s of %s takes %s; got '%s'", r->option, part->name,
                     r->form->name, takes, text);
}

static bool read_number(const reader *r, const sb_part *part, const char *text, double *number)
{
  const bool vector = part->kind == SB_PART_VECTOR;
  char       takes[64];
  switch (sb_read_quantity(text, part->unit, number)) {
  case SB_NUMBER_OTHER_UNIT:
    snprintf(takes, sizeof takes, "%s %s%s", vector ? "three numbers" : "a number",
             *part->unit ? "in " : "without a unit", part->unit);
    return wrong_value(r, part, "E102", takes, text);
  case SB_NUMBER_MALFORMED:
    return wrong_value(r, part, "E102", vector ? "three numbers as [x,y,z]" : "a number", text);
  case SB_NUMBER_BEYOND:
    return wrong_value(r, part, "E103", "finite numbers", text);
  case SB_NUMBER_READ:
    break;
  }
  *number += 0.0; /* -0 is 0: equal values have equal text, hence equal keys */
  if (sb_in_interval(part->range, *number)) return true;
  return sb_error_at(r->diagnostics, r->where, "E104",
                     "option '%s': %s of %s is out of range (allowed: %s%s%s); got '%s'", r->option, part->name,
                     r->form->name, part->range, *part->unit ? " " : "", part->unit, text);
}

static bool read_vector(const reader *r, const sb_part *part, const char *text, double number[3])
{
  size_t      length = 0;
  const char *rest = inside_brackets(text, &length);
  if (!rest) return wrong_value(r, part, "E102", "three numbers as [x,y,z]", text);
  for (size_t c = 0; c < 3; ++c) {
    const size_t here = span_of(rest, length, ',');
    if ((c < 2) != (here < length)) return wrong_value(r, part, "E102", "three numbers as [x,y,z]", text);
    char      *item = trimmed(rest, here);
    const bool good = item && read_number(r, part, item, &number[c]);
    free(item);
    if (!good) return false;
    rest += here + (c < 2);
    length -= here + (c < 2);
  }
  return true;
}

static bool read_value(const reader *r, size_t p, const char *text, sb_composite *value)
{
  const sb_part *part = &r->form->part[p];
  if (*text == '\0') return wrong_value(r, part, "E102", "a value", text);
  switch (part->kind) {
  case SB_PART_REAL:
    return read_number(r, part, text, &value->number[p][0]);
  case SB_PART_VECTOR:
    return read_vector(r, part, text, value->number[p]);
  case SB_PART_FORMULA:
    break;
  }
  value->formula[p] = sb_copy_text(text);
  return true;
}

/* One "name=value". given[p] remembers which parts there were. */
static bool read_assignment(const reader *r, char *text, bool *given, sb_composite *value)
{
  char  what[REASON_LENGTH];
  char *equals = strchr(text, '=');
  if (!equals) {
    snprintf(what, sizeof what, "expected PART=VALUE; got '%.100s'", text);
    return refuse_part(r, "E101", what);
  }
  char  *name = trimmed(text, (size_t)(equals - text)), *content = trimmed(equals + 1, strlen(equals + 1));
  bool   good = name && content;
  size_t p = 0;
  while (good && p < r->form->parts && strcmp(r->form->part[p].name, name) != 0) ++p;
  if (good && p == r->form->parts) {
    good = unknown_part(r, name);
  } else if (good && given[p]) {
    good = sb_error_at(r->diagnostics, r->where, "E106", "option '%s': %s of %s is given twice", r->option, name,
                       r->form->name);
  } else if (good) {
    given[p] = true;
    good = read_value(r, p, content, value);
  }
  free(name);
  free(content);
  return good;
}

static bool fill_defaults(const reader *r, const bool *given, sb_composite *value)
{
  for (size_t p = 0; p < r->form->parts; ++p) {
    const sb_part *part = &r->form->part[p];
    char           what[REASON_LENGTH];
    if (given[p]) continue;
    if (part->preset) {
      if (!read_value(r, p, part->preset, value)) return false;
      continue;
    }
    snprintf(what, sizeof what, "%s needs %s, %s", r->form->name, part->name, part->sentence);
    return refuse_part(r, "E106", what);
  }
  return true;
}

/* The parts after the colon. At least one part is required. */
static bool read_parts(const reader *r, const char *text, sb_composite *value)
{
  bool   given[SB_PARTS_MAX] = {false}, good = true;
  size_t length = strlen(text);
  while (length > 0 && good) {
    const size_t here = span_of(text, length, ',');
    char        *part = trimmed(text, here);
    good = part && read_assignment(r, part, given, value);
    free(part);
    /* A comma at the end announces a part that is not there. */
    if (good && here + 1 == length) good = refuse_part(r, "E101", "expected PART=VALUE after the last comma");
    text += here + (here < length);
    length -= here + (here < length);
  }
  return good && fill_defaults(r, given, value);
}

static bool check_form(const reader *r, const sb_composite *value)
{
  char why[REASON_LENGTH] = "";
  if (!r->form->check || r->form->check(value, why, sizeof why)) return true;
  return sb_error_at(r->diagnostics, r->where, "E106", "option '%s': %s: %s", r->option, r->form->name, why);
}

/* `item` is trimmed; it is cut at the colon. */
static bool read_item(reader *r, char *item, sb_composite *value)
{
  char       *colon = strchr(item, ':');
  const char *parts = colon ? colon + 1 : "";
  if (colon) *colon = '\0';
  while (colon && colon > item && colon[-1] == ' ') *--colon = '\0';
  while (*parts == ' ') ++parts;
  if (*item == '\0')
    return sb_error_at(r->diagnostics, r->where, "E106", "option '%s': an item is empty; an item is KIND:PART=VALUE,…",
                       r->option);
  r->form = (const void *)sb_list_find(r->forms, item);
  if (!r->form && strpbrk(item, ",= "))
    return sb_error_at(r->diagnostics, r->where, "E106",
                       "option '%s': a kind and its parts are written KIND:PART=VALUE,…; got '%s'", r->option, item);
  if (strcmp(item, "none") == 0)
    return sb_error_at(r->diagnostics, r->where, "E106", "option '%s': none cannot be in a list", r->option);
  if (!r->form) return unknown_kind(r, item);
  value->form = r->form;
  return read_parts(r, parts, value) && check_form(r, value);
}

sb_composite *sb_composites_read(const char *option, const sb_list *forms, const char *text, sb_location where,
                                 sb_diagnostics *diagnostics, size_t *count)
{
  reader r = {option, forms, NULL, where, diagnostics};
  size_t capacity = 1;
  bool   good = true;
  *count = 0;
  for (const char *c = text; good && *c; ++c) {
    if (iscntrl((unsigned char)*c))
      good = sb_error_at(diagnostics, where, "E102", "option '%s' takes printable text", option);
    capacity += *c == ';';
  }
  if (good && !brackets_match(text))
    good = sb_error_at(diagnostics, where, "E102", "option '%s': brackets do not match in '%s'", option, text);
  sb_composite *items = good ? sb_allocate(capacity, sizeof *items) : NULL;
  for (const char *rest = text; good && rest;) {
    const size_t length = span_of(rest, strlen(rest), ';');
    char        *item = trimmed(rest, length);
    good = read_item(&r, item, &items[(*count)++]);
    free(item);
    rest = rest[length] ? rest + length + 1 : NULL;
  }
  if (!good) sb_composites_free(&items, count);
  return items;
}

static void write_value(FILE *stream, const sb_composite *value, size_t p)
{
  const double *n = value->number[p];
  char          x[32], y[32], z[32];
  switch (value->form->part[p].kind) {
  case SB_PART_REAL:
    fputs(sb_format_real(n[0], x), stream);
    break;
  case SB_PART_VECTOR:
    fprintf(stream, "[%s,%s,%s]", sb_format_real(n[0], x), sb_format_real(n[1], y), sb_format_real(n[2], z));
    break;
  case SB_PART_FORMULA:
    fputs(value->formula[p], stream);
    break;
  }
}

char *sb_composites_text(const sb_composite *items, size_t count)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; i < count; ++i) {
    const sb_form *form = items[i].form;
    fprintf(stream, "%s%s", i ? ";" : "", form->name);
    for (size_t p = 0; p < form->parts; ++p) {
      fprintf(stream, "%c%s=", p ? ',' : ':', form->part[p].name);
      write_value(stream, &items[i], p);
    }
  }
  fclose(stream);
  return text;
}

void sb_form_facts(const sb_entry *entry, sb_description *description)
{
  static const char *const kinds[] = {
      [SB_PART_REAL] = "real", [SB_PART_VECTOR] = "vector", [SB_PART_FORMULA] = "formula"};
  const sb_form *form = (const void *)entry;
  if (form->parts == 0) sb_describe_words(description, "parts", NULL);
  for (const sb_part *part = form->part; part < form->part + form->parts; ++part)
    SB_DESCRIBE_ROW(description, "parts", "name", part->name, "type", kinds[part->kind], "unit", part->unit, "default",
                    part->preset ? part->preset : "must be given", "allowed", part->range, "sentence", part->sentence);
}
