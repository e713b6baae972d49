/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See request.h. Values are checked here as far as they do not depend on the simulation: it knows its vertices, and the
 * values that an option may have. */
#include "live/request.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/allocate.h"
#include "base/options.h"

typedef enum { TRUTH = 1, WHOLE, NUMBER, PLACE, TEXT, OPTION, HAND, NAMES } kind;

/* Numbers go from `low` to `high`, those of a place from -high to high; texts and lists have at most `high` characters
 * or texts. */
typedef struct {
  const char *name;
  kind        kind;
  bool        needed;
  double      low, high;
} member;

enum { MEMBERS_MAX = 6, TEXT_MAX = 4096, NAMES_MAX = 100, NAME_MAX_LENGTH = 128 };
#define PLACE_MAX 1e9

#define SIDE                                                                                                           \
  {                                                                                                                    \
    "side", WHOLE, false, 0, 1                                                                                         \
  }

static const struct {
  const char *name;
  member      members[MEMBERS_MAX];
} requests[] = {
    {"ack", {{"frame", WHOLE, true, 0, UINT32_MAX}}},
    {"visible", {{"value", TRUTH, true, 0, 0}}},
    {"take", {{0}}},
    {"run", {{"value", TRUTH, true, 0, 0}}},
    {"step", {{0}}},
    {"again", {{0}}},
    {"pace", {{"factor", NUMBER, false, 1e-9, 1}, {"steps", NUMBER, false, 0, 1e6}}},
    {"set", {{"side", WHOLE, false, -1, 1}, {"option", OPTION, true, 0, 0}, {"value", TEXT, true, 0, TEXT_MAX}}},
    {"drag", {{"vertex", WHOLE, true, 0, INT32_MAX}, {"to", PLACE, true, 0, PLACE_MAX}, {"by", HAND, false, 0, 0}}},
    {"drop", {{0}}},
    {"pin", {{"vertex", WHOLE, true, 0, INT32_MAX}, {"value", TRUTH, true, 0, 0}}},
    {"gust", {{"acceleration", PLACE, true, 0, PLACE_MAX}}},
    {"beside", {{"value", TRUTH, true, 0, 0}}},
    {"save", {SIDE}},
    {"command", {SIDE}},
    {"restart", {SIDE}},
    {"sweep",
     {SIDE,
      {"option", OPTION, true, 0, 0},
      {"low", TEXT, false, 0, NAME_MAX_LENGTH},
      {"high", TEXT, false, 0, NAME_MAX_LENGTH},
      {"values", NAMES, false, 0, NAMES_MAX}}},
};

static bool is_number(const json_t *value, double low, double high)
{
  const double x = json_number_value(value);
  return json_is_number(value) && x >= low && x <= high;
}

/* True if all items of a list are of a kind; a place has three. */
static bool is_list(const json_t *value, const member *m)
{
  const json_t *each;
  size_t        i;
  bool          good = json_is_array(value);
  json_array_foreach((json_t *)value, i, each)
  {
    good = good && (m->kind == PLACE ? is_number(each, -m->high, m->high)
                                     : json_is_string(each) && json_string_length(each) <= NAME_MAX_LENGTH);
  }
  return good && (m->kind == PLACE ? json_array_size(value) == 3 : (double)json_array_size(value) <= m->high);
}

static bool fits(const json_t *value, const member *m)
{
  const char *text = json_string_value(value);
  switch (m->kind) {
  case TRUTH:
    return json_is_boolean(value);
  case WHOLE:
    return json_is_integer(value) && is_number(value, m->low, m->high);
  case NUMBER:
    return is_number(value, m->low, m->high);
  case TEXT:
    return text && (double)json_string_length(value) <= m->high;
  case OPTION:
    return text != NULL;
  case HAND:
    return text && (strcmp(text, "pin") == 0 || strcmp(text, "spring") == 0);
  default:
    return is_list(value, m);
  }
}

/* The words for the values that a member may have, malloc'ed. */
static char *expected(const member *m)
{
  switch (m->kind) {
  case TRUTH:
    return sb_copy_text("true or false");
  case WHOLE:
    return sb_format("a whole number from %.0f to %.0f", m->low, m->high);
  case NUMBER:
    return sb_format("a number from %g to %g", m->low, m->high);
  case PLACE:
    return sb_format("three numbers, each at most %g in size", m->high);
  case HAND:
    return sb_copy_text("'pin' or 'spring'");
  case NAMES:
    return sb_format("a list of at most %.0f texts", m->high);
  case OPTION:
    return sb_copy_text("the name of an option");
  default:
    return sb_format("a text of at most %.0f characters", m->high);
  }
}

/* One member from `message` to `read`; false with the reason. */
static bool take(const json_t *message, const member *m, const char *what, json_t *read, char **why)
{
  json_t     *value = json_object_get(message, m->name);
  const char *text = json_string_value(value);
  if (!value && !m->needed) return true;
  if (!value || !fits(value, m)) {
    SB_OWNED char *rule = expected(m);
    *why = sb_format("'%s' of '%s' is %s", m->name, what, rule);
    return false;
  }
  if (m->kind == OPTION && sb_option_find(text) == sb_option_count) {
    *why = sb_copy_text("there is no such option");
    return false;
  }
  return json_object_set(read, m->name, value) == 0;
}

json_t *sb_request_read(const json_t *message, char **why)
{
  const char *what = json_string_value(json_object_get(message, "do"));
  size_t      i = 0;
  while (i < sizeof requests / sizeof *requests && strcmp(what, requests[i].name) != 0) ++i;
  if (i == sizeof requests / sizeof *requests) {
    *why = sb_copy_text("there is no such request");
    return NULL;
  }
  json_t *read = json_pack("{ss}", "do", what);
  for (const member *m = requests[i].members; m < requests[i].members + MEMBERS_MAX && m->name; ++m) {
    if (take(message, m, what, read, why)) continue;
    json_decref(read);
    return NULL;
  }
  return read;
}
