/* How the sections of a sweep file are read, inside the harness: tables say which keys a section has and where their
 * values go. Readers report what is wrong and go on, so that all mistakes are named at once; a file is good when
 * nothing was reported. What they read lives in the arena of the sweep. Local. */
#pragma once

#include <stddef.h>

#include "harness/sweep/sweep.h"

/* ---- YAML with locations: one document as a tree of texts, lists and mappings. Refused is what sweep files do not
 * need: aliases (they can make a small file huge), tags, several documents, nesting more than 32 deep, keys that are no
 * names or stand twice ---- */

enum { SB_YAML_BYTES_MAX = 1 << 20, SB_YAML_LINE_MAX = 1 << 16, SB_YAML_DEPTH_MAX = 32 };

typedef enum { SB_YAML_TEXT, SB_YAML_LIST, SB_YAML_MAPPING } sb_yaml_kind;

typedef struct sb_yaml_node {
  sb_yaml_kind         kind;
  const char          *key; /* of a value in a mapping, else NULL */
  sb_location          where, key_where;
  char                *text;       /* of a text, which is */
  bool                 plain;      /* without quotes */
  int                  quotes;     /* 1: they stand before it */
  bool                 as_written; /* in the file character for character: then places within it can be told */
  size_t               count;      /* of a list, of a mapping */
  struct sb_yaml_node *items;      /* of a list, or the values of a mapping */
} sb_yaml_node;

/* `text` [length] ends in a NUL behind it; `file` is borrowed. The tree lives in the arena. False after E110, E101 or
 * E102. */
bool sb_yaml_read(const char *text, size_t length, const char *file, sb_arena *arena, sb_diagnostics *diagnostics,
                  sb_yaml_node *root);
/* The value of a key, NULL when it is not there. */
const sb_yaml_node *sb_yaml_find(const sb_yaml_node *mapping, const char *key);

/* ---- sections ---- */

typedef struct sb_sweep_field sb_sweep_field;
typedef struct {
  sb_sweep             *sweep;
  const sb_session     *session;
  const sb_sweep_field *field; /* that is being read */
  sb_arena             *arena;
  sb_options           *scratch;   /* values are set here to be checked */
  sb_check             *checks[4]; /* of expressions, made when needed */
  sb_diagnostics       *diagnostics;
  /* Expressions may name columns that no driver states: those of curves and frames; or they are about the rows of a
   * published table, whose values are not the sweep's. Until the end of the structure that is being read. */
  bool of_points, of_published;
} sb_sweep_reader;

/* An error at a node; false. */
#define SB_REFUSE(r, node, ...) sb_error_at((r)->diagnostics, (node)->where, __VA_ARGS__)

/* A key: how its value is read, and into which member of the section's structure. */
typedef struct sb_sweep_section sb_sweep_section;
typedef void                    sb_read(sb_sweep_reader *r, const sb_yaml_node *node, void *member);
struct sb_sweep_field {
  const char *name;         /* NULL: the keys of `section` stand here, and are read into the structure at `offset` */
  sb_read    *read;         /* NULL: it is read elsewhere */
  size_t      offset;       /* of the member, */
  size_t      place, count; /* of where the value stands, of the number of items; 0: is not kept */
  bool        required;
  bool        clause, planned; /* of expressions: true or false; of what is known before the run */
  unsigned    first;           /* of choices: what the first one means */
  double      least, most;
  const char *wanted; /* choices as "a, b"; of quantities, what they are */
  bool (*parse)(const char *text, double *quantity);
  const sb_sweep_section *section;
  sb_read                *each; /* of names: how one is read */
  bool                    list; /* one by itself is none */
};

struct sb_sweep_section {
  const char           *name; /* in messages: "a table" */
  const sb_sweep_field *fields;
  size_t                field_count;
  size_t                size, place; /* of the structure; of where it stands, 0: is not kept */
  const void           *initial;     /* what it is before its keys are read; NULL: zeros */
  size_t                like;        /* or, not 0: what is there in the structure around it */
  bool                  has_ids;     /* which name files: its first member, and no two in a list are the same */
  bool                  of_points;
  sb_read              *complete; /* called when its keys were read; NULL: nothing */
};

#define SB_KEY(key, read_, structure, member) .name = key, .read = read_, .offset = offsetof(structure, member)
#define SB_FIELD(read_, structure, member)    SB_KEY(#member, sb_member_##read_, structure, member)
#define SB_LIST(key, structure, member, number, section_)                                                              \
  SB_KEY(key, sb_member_list, structure, member), .count = offsetof(structure, number), .section = &section_
#define SB_NAMES(key, structure, member, number, each_)                                                                \
  SB_KEY(key, sb_member_names, structure, member), .count = offsetof(structure, number), .each = each_
#define SB_SECTION(name_, fields_, structure)                                                                          \
  .name = name_, .fields = fields_, .field_count = sizeof fields_ / sizeof *fields_, .size = sizeof(structure)

sb_read sb_member_text;       /* char *: line breaks are made spaces */
sb_read sb_member_name;       /* char *: it reaches file names and gnuplot */
sb_read sb_member_names;      /* char **: a list by `each`, or one; `wanted` is what there has to be one of */
sb_read sb_member_flag;       /* bool */
sb_read sb_member_choice;     /* an enumeration, or unsigned */
sb_read sb_member_count;      /* int from 1 to `most` */
sb_read sb_member_number;     /* double from `least` to `most`, any where both are 0 */
sb_read sb_member_quantity;   /* double, by `parse` */
sb_read sb_member_expression; /* sb_expression * */
sb_read sb_member_section;    /* a structure */
sb_read sb_member_list;       /* pointer to as many as there are */

/* Reads a mapping into `target`, in the order of the section's fields. */
void sb_read_fields(sb_sweep_reader *r, const sb_yaml_node *node, const sb_sweep_section *section, void *target);
/* The structures of a list, *count of them; `around` is the structure that holds them. */
void *sb_read_list(sb_sweep_reader *r, const sb_yaml_node *node, const sb_sweep_section *section, const void *around,
                   size_t *count);
/* The items of a list, or the one node that stands for a list of one. */
const sb_yaml_node *sb_one_or_list(const sb_yaml_node *node, size_t *count);

/* False after a message when it is not a list (a mapping); `what` names it, and a list its key. */
bool sb_require_list(sb_sweep_reader *r, const sb_yaml_node *node);
bool sb_require_mapping(sb_sweep_reader *r, const sb_yaml_node *node, const char *what);
/* The text of a scalar that is not empty; NULL after a message. */
char *sb_require_scalar(sb_sweep_reader *r, const sb_yaml_node *node, const char *what);

/* Values by themselves, as fields have them. False, and -1 for the number of the choice, after a message. */
bool sb_read_text(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, char **text);
void sb_read_name(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, char **name);
int  sb_read_choice(sb_sweep_reader *r, const sb_yaml_node *node, const char *choices);
void sb_read_number(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, double least, double most,
                    double *number);

/* The sections that say what comes out: of the structures of a list each. */
extern const sb_sweep_section sb_section_table, sb_section_figure, sb_section_animation, sb_section_claim;
