/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the sections of a sweep file, inside the harness: tables list the keys of a section and the destinations of
 * their values. Readers report a fault and continue, so that all faults are reported at once; a file is valid if
 * nothing was reported. The results are in the arena of the sweep. Local. */
#pragma once

#include <stddef.h>

#include "harness/sweep/sweep.h"

/* ---- YAML with locations: one document as a tree of texts, lists and mappings. Refused are aliases (they can make a
 * small file huge), tags, several documents, nesting more than 32 deep, keys that are not names or occur twice ---- */

enum { SB_YAML_BYTES_MAX = 1 << 20, SB_YAML_LINE_MAX = 1 << 16, SB_YAML_DEPTH_MAX = 32 };

typedef enum { SB_YAML_TEXT, SB_YAML_LIST, SB_YAML_MAPPING } sb_yaml_kind;

typedef struct sb_yaml_node {
  sb_yaml_kind         kind;
  const char          *key; /* of a value in a mapping, else NULL */
  sb_location          where, key_where;
  char                *text;       /* of a text, with: */
  bool                 plain;      /* without quotes */
  int                  quotes;     /* 1: there are quotes before it */
  bool                 as_written; /* identical to the file: locations within it are then known */
  size_t               count;      /* of a list, of a mapping */
  struct sb_yaml_node *items;      /* of a list, or the values of a mapping */
} sb_yaml_node;

/* `text` [length] ends with a NUL; `file` is borrowed. The tree is in the arena. False after E110, E101 or E102. */
bool sb_yaml_read(const char *text, size_t length, const char *file, sb_arena *arena, sb_diagnostics *diagnostics,
                  sb_yaml_node *root);
/* The value of a key, NULL if it is absent. */
const sb_yaml_node *sb_yaml_find(const sb_yaml_node *mapping, const char *key);

/* ---- sections ---- */

typedef struct sb_sweep_field sb_sweep_field;
typedef struct {
  sb_sweep             *sweep;
  const sb_session     *session;
  const sb_sweep_field *field; /* the current one */
  sb_arena             *arena;
  sb_options           *scratch;   /* values are set here to check them */
  sb_check             *checks[4]; /* of expressions, created when needed */
  sb_diagnostics       *diagnostics;
  /* Until the end of the current structure: expressions may name columns that no driver lists, those of curves and
   * frames; or they are over the rows of a published table, whose values are not the sweep's. */
  bool of_points, of_published;
} sb_sweep_reader;

/* Reports an error at a node; false. */
#define SB_REFUSE(r, node, ...) sb_error_at((r)->diagnostics, (node)->where, __VA_ARGS__)

/* A key, the reader of its value, and the member of the section's structure that receives it. */
typedef struct sb_sweep_section sb_sweep_section;
typedef void                    sb_read(sb_sweep_reader *r, const sb_yaml_node *node, void *member);
struct sb_sweep_field {
  const char *name;         /* NULL: the keys of `section` are allowed here, for the structure at `offset` */
  sb_read    *read;         /* NULL: it is read elsewhere */
  size_t      offset;       /* of the member, */
  size_t      place, count; /* of the value's location, of the number of items; 0: not stored */
  bool        required;
  bool        clause, planned; /* for expressions: true or false; only names known before the run */
  unsigned    first;           /* for choices: value of the first one */
  double      least, most;
  const char *wanted; /* choices as "a, b"; for quantities, their description */
  bool (*parse)(const char *text, double *quantity);
  const sb_sweep_section *section;
  sb_read                *each; /* for names: the reader of one */
  bool                    list; /* a single item is not allowed */
};

struct sb_sweep_section {
  const char           *name; /* in messages: "a table" */
  const sb_sweep_field *fields;
  size_t                field_count;
  size_t                size, place; /* of the structure; of its location, 0: not stored */
  const void           *initial;     /* its value before its keys are read; NULL: zeros */
  size_t                like;        /* or, if not 0: offset of the initial value in the surrounding structure */
  bool                  has_ids;     /* its first member is an id, which names files and must be unique in a list */
  bool                  of_points;
  sb_read              *complete; /* called after its keys were read; NULL: nothing */
};

#define SB_KEY(key, read_, structure, member) .name = key, .read = read_, .offset = offsetof(structure, member)
#define SB_FIELD(read_, structure, member)    SB_KEY(#member, sb_member_##read_, structure, member)
#define SB_LIST(key, structure, member, number, section_)                                                              \
  SB_KEY(key, sb_member_list, structure, member), .count = offsetof(structure, number), .section = &section_
#define SB_NAMES(key, structure, member, number, each_)                                                                \
  SB_KEY(key, sb_member_names, structure, member), .count = offsetof(structure, number), .each = each_
#define SB_SECTION(name_, fields_, structure)                                                                          \
  .name = name_, .fields = fields_, .field_count = sizeof fields_ / sizeof *fields_, .size = sizeof(structure)

sb_read sb_member_text;       /* char *: line breaks become spaces */
sb_read sb_member_name;       /* char *: used in file names and gnuplot */
sb_read sb_member_names;      /* char **: a list by `each`, or one; `wanted` describes a required item */
sb_read sb_member_flag;       /* bool */
sb_read sb_member_choice;     /* an enumeration, or unsigned */
sb_read sb_member_count;      /* int from 1 to `most` */
sb_read sb_member_number;     /* double from `least` to `most`, unlimited if both are 0 */
sb_read sb_member_quantity;   /* double, by `parse` */
sb_read sb_member_expression; /* sb_expression * */
sb_read sb_member_section;    /* a structure */
sb_read sb_member_list;       /* pointer to the items of a list */

/* Reads a mapping into `target`, in the order of the section's fields. */
void sb_read_fields(sb_sweep_reader *r, const sb_yaml_node *node, const sb_sweep_section *section, void *target);
/* The structures of a list, *count of them; `around` is the structure that contains them. */
void *sb_read_list(sb_sweep_reader *r, const sb_yaml_node *node, const sb_sweep_section *section, const void *around,
                   size_t *count);
/* The items of a list, or a single node as a list of one. */
const sb_yaml_node *sb_one_or_list(const sb_yaml_node *node, size_t *count);

/* False after a message if it is not a list (a mapping); `what` names it, a list is named by its key. */
bool sb_require_list(sb_sweep_reader *r, const sb_yaml_node *node);
bool sb_require_mapping(sb_sweep_reader *r, const sb_yaml_node *node, const char *what);
/* The text of a scalar that is not empty; NULL after a message. */
char *sb_require_scalar(sb_sweep_reader *r, const sb_yaml_node *node, const char *what);

/* Readers of single values, as in fields. False, or -1 for the index of a choice, after a message. */
bool sb_read_text(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, char **text);
void sb_read_name(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, char **name);
int  sb_read_choice(sb_sweep_reader *r, const sb_yaml_node *node, const char *choices);
void sb_read_number(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, double least, double most,
                    double *number);

/* Reads a sweep's answer, a sentence with expressions in braces, into a sweep that has its claims. */
void sb_read_answer(sb_sweep_reader *r, const sb_yaml_node *node, void *sweep);

/* The sections of the outputs: of each structure in their lists. */
extern const sb_sweep_section sb_section_table, sb_section_figure, sb_section_animation, sb_section_claim;
