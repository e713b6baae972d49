/* Everything that can be named: the lists behind `springbench list` and docs/reference. Inside the commands' room only.
 * Local.
 *
 * An entry is a JSON object: "name", "summary", "claims" [texts], and what its family has besides: texts, lists of
 * texts, and tables (lists of objects with the same members, of which "name" comes first and "sentence" last). Printers
 * know nothing of families, so that text, Markdown and JSON say the same. */
#pragma once

#include <jansson.h>

#include "base/composite.h"
#include "harness/store/session.h"

typedef struct {
  const char *topic, *title;
  const char *about; /* where entries are named, and what all share; whole sentences */
  bool        brief; /* all entries are rows of one table, or of one for each section */
  /* One of these: entry number i, NULL behind the last; a new array of all; forms of composite values. */
  json_t *(*entry)(size_t i, const sb_session *session);
  json_t *(*entries)(const sb_session *session);
  const sb_form *const *(*forms)(size_t *count);
} sb_list;

extern const sb_list sb_lists[]; /* ends with one that has no topic */
/* The entries of a list, a new array. */
json_t *sb_list_entries(const sb_list *list, const sb_session *session);
