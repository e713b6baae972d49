/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries and lists of them. An option chooses a scene, a solver, a driver, … by name; each is an entry of a list, its
 * family. Every table of a method begins with the same fields, so that option values, `springbench list`, the pages
 * of docs/reference, "did you mean" and the conformance tests need no code of their own for a family. Local; needs
 * neither PETSc nor MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Another word for an entry. `with`: the setting that it also stands for, "petsc='-ksp_type cg'"; NULL: none. */
typedef struct {
  const char *name, *with;
} sb_alias;

/* `uses`: the options of the entry that not every other one of its family has, "petsc …"; keys of its cases have them.
 * `reads`: further ones, which keys have only if they differ from their defaults: what is added here leaves the keys
 * of earlier cases as they were. `unread`: options that those who choose the entry list, but that it does not read;
 * keys have them. `defaults`: "option=value …", in place of the table's if the entry is chosen. `aliases`: up to one
 * without a name. `spelled`: the name in tables and figures, if it is not just its parts with blanks between. NULL:
 * none of these. */
#define SB_ENTRY_FIELDS                                                                                                \
  const char     *name, *summary; /* lower case, no full stop */                                                       \
  const char     *uses, *reads, *unread, *defaults;                                                                    \
  const sb_alias *aliases;                                                                                             \
  const char     *spelled;

typedef struct {
  SB_ENTRY_FIELDS
} sb_entry;

/* The first member of a method's table, whose own fields these are too: `method->name`, `&method->entry`. */
#define SB_ENTRY_HEAD                                                                                                  \
  union {                                                                                                              \
    sb_entry entry;                                                                                                    \
    struct {                                                                                                           \
      SB_ENTRY_FIELDS                                                                                                  \
    };                                                                                                                 \
  }

typedef enum { SB_FACT_CLAIM, SB_FACT_TEXT, SB_FACT_WORDS, SB_FACT_ROW } sb_fact_kind;

/* A fact about an entry. Facts with the same key belong together: the rows of a table. */
typedef struct sb_fact {
  sb_fact_kind       kind;
  const char        *key;  /* NULL for claims */
  const char        *text; /* of a claim and a text; words separated by blanks */
  const char *const *row;  /* names and texts of a row in turn, NULL after the last; "name" first, "sentence" last */
  struct sb_fact    *next;
} sb_fact;

typedef struct {
  sb_arena *arena;
  sb_fact  *first, *last;
} sb_description;

typedef struct {
  const char *family;        /* "scenes": a topic of `springbench list`, and "@scenes" in options.def */
  const char *title, *about; /* about: where the entries are named, and what they have in common; whole sentences */
  const sb_entry *const *entries; /* [count], each the head of its table */
  size_t                 count;
  bool                   brief; /* entries are shown as rows of one table */
  bool checks_uses; /* the family itself refuses options that an entry does not use; any case may read them */
  bool open;        /* an option may name programs that are not in it, as they are not here; such cases are skipped */
  void (*describe)(const sb_entry *entry,
                   sb_description *description); /* optional: adds the facts in the family's own fields */
} sb_list;

const sb_entry *sb_list_at(const sb_list *list, size_t i); /* NULL after the last */
/* The entry of that name; NULL if there is none, or `list` is NULL. An alias is no name. */
const sb_entry *sb_list_find(const sb_list *list, const char *name);
/* The name of the first entry with this alias, NULL if there is none. *with as in sb_alias. */
const char *sb_list_alias(const sb_list *list, const char *name, const char **with);
/* Returns the entry's name that an unknown name may mean: the entry with this alias (*with as in sb_alias), else the
 * nearest name, or NULL. */
const char *sb_list_meant(const sb_list *list, const char *name, const char **with);
/* The same for a message, with all entries that have the alias: "; did you mean 'petsc' with petsc='-ksp_type cg'?",
 * "; did you mean 'drag' or 'spring_damping'?", or "". */
const char *sb_list_suggestion(const sb_list *list, const char *name, sb_arena *arena);
/* The names, with `separator` between them. */
const char *sb_list_names(const sb_list *list, const char *separator, sb_arena *arena);

/* Declares `list`, of a family whose tables are of type `type`, and access to it: type_count(), type_at(i) (NULL after
 * the last) and type_find(name) (NULL: none). */
#define SB_DECLARE_LIST(type, list)                                                                                    \
  extern const sb_list      list;                                                                                      \
  static inline size_t      type##_count(void) { return list.count; }                                                  \
  static inline const type *type##_at(size_t i) { return (const void *)sb_list_at(&list, i); }                         \
  static inline const type *type##_find(const char *name) { return (const void *)sb_list_find(&list, name); }

/* The members `entries` and `count` of a list, from an array. */
#define SB_LIST_ENTRIES(array) .entries = (array), .count = sizeof(array) / sizeof *(array)

/* For `describe`: a claim if it holds; a text; words separated by blanks (NULL: none); a row of a table. Texts are
 * borrowed. */
void sb_describe_claim(sb_description *description, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sb_describe_text(sb_description *description, const char *key, const char *text);
void sb_describe_words(sb_description *description, const char *key, const char *words);
void sb_describe_row(sb_description *description, const char *key, const char *const *row);
#define SB_DESCRIBE_ROW(description, key, ...)                                                                         \
  sb_describe_row((description), (key), (const char *const[]){__VA_ARGS__, NULL})
