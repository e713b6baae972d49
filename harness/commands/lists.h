/* Everything that can be named: the lists behind `springbench list` and docs/reference. Inside the harness only. Local.
 *
 * An entry is a JSON object: "name", "summary", "claims" [texts], and what its family has besides: texts, lists of
 * texts, and tables (lists of objects with the same members, of which "name" comes first and "sentence" last). Printers
 * know nothing of families, so that text, Markdown and JSON say the same. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "harness/store/session.h"

typedef struct {
  const char *topic, *title;
  const char *about;                             /* where entries are named, and what all share; whole sentences */
  json_t *(*entries)(const sb_session *session); /* a new array */
} sb_list;

size_t         sb_list_count(void);
const sb_list *sb_list_at(size_t i);
const sb_list *sb_list_find(const char *topic); /* NULL: none of that name */

/* Names and summaries; or all there is about every entry. `entries` is borrowed. */
void sb_list_print_short(const sb_list *list, const json_t *entries, FILE *stream);
void sb_list_print(const sb_list *list, const json_t *entries, FILE *stream);
void sb_list_print_markdown(const sb_list *list, const json_t *entries, FILE *stream);

/* For those who make entries. A new entry with an empty list of claims. */
json_t *sb_list_entry(const char *name, const char *summary);
void    sb_list_claim(json_t *entry, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The words of a text separated by blanks; an empty array for NULL. */
json_t *sb_list_words(const char *text);
/* Adds the table "options" of the options named in `uses` (NULL: none), with the defaults of `defaults`
 * ("key=value …", NULL: the table's). */
void sb_list_add_options(json_t *entry, const char *uses, const char *defaults);
/* Adds "further defaults": those of `defaults` that set none of `uses`. */
void sb_list_add_defaults(json_t *entry, const char *uses, const char *defaults);

json_t *sb_list_scenes(const sb_session *session);
json_t *sb_list_meshes(const sb_session *session);
json_t *sb_list_springs(const sb_session *session);
json_t *sb_list_pins(const sb_session *session);
json_t *sb_list_fields(const sb_session *session);
json_t *sb_list_paths(const sb_session *session);
json_t *sb_list_colliders(const sb_session *session);
json_t *sb_list_integrators(const sb_session *session);
json_t *sb_list_minimizers(const sb_session *session);
json_t *sb_list_linear(const sb_session *session);
json_t *sb_list_drivers(const sb_session *session);
json_t *sb_list_options(const sb_session *session);
json_t *sb_list_sweeps(const sb_session *session);
