/* Everything that can be named: the lists behind `springbench list` and docs/reference. Inside the commands' room only.
 * Local.
 *
 * An entry is a JSON object: "name", "summary", "claims" [texts], and what its family has besides: texts, lists of
 * texts, and tables (lists of objects with the same members, of which "name" comes first and "sentence" last). Printers
 * know nothing of families, so that text, Markdown and JSON say the same. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "harness/store/session.h"
#include "base/composite.h"

typedef struct {
  const char *topic, *title;
  const char *about;                             /* where entries are named, and what all share; whole sentences */
  bool        brief;                             /* all entries are rows of one table, or of one for each section */
  json_t *(*entries)(const sb_session *session); /* a new array; NULL: they are these: */
  const sb_form *const *(*forms)(size_t *count);
} sb_list;

size_t         sb_list_count(void);
const sb_list *sb_list_at(size_t i);
const sb_list *sb_list_find(const char *topic); /* NULL: none of that name */
/* The entries of a list, a new array. */
json_t *sb_list_entries(const sb_list *list, const sb_session *session);

/* Names and summaries; all there is about every entry; the same as a page of the manual. */
typedef enum { SB_LIST_SHORT, SB_LIST_LONG, SB_LIST_PAGE } sb_list_form;
void sb_list_print(const sb_list *list, const json_t *entries, sb_list_form form, sb_arena *arena, FILE *stream);
