/* How the parts of a sweep file are read, inside the harness: sweep.c and sweep_reports.c. Readers report what is wrong
 * and go on, so that all mistakes are named at once; a file is good when nothing was reported. What they read lives in
 * the arena of the sweep. Local. */
#pragma once

#include "harness/sweep/sweep.h"
#include "harness/sweep/sweep_yaml.h"

typedef struct {
  sb_yaml              yaml;
  sb_sweep            *sweep;
  const sb_session    *session;
  sb_arena            *arena;
  sb_options          *scratch; /* values are set here to be checked */
  sb_check            *checks[4]; /* of expressions, made when needed; see check_of */
  sb_diagnostics      *diagnostics;
  /* Expressions may name columns that no driver states: those of curves and frames; or they are about the rows of a
   * published table, whose values are not the sweep's. */
  bool of_points, of_published;
} sb_sweep_reader;

/* An error at a node; false. */
#define SB_REFUSE(r, node, ...) sb_error_at((r)->diagnostics, sb_yaml_location(&(r)->yaml, (node)), __VA_ARGS__)

/* What a section may contain: where a value goes and how it is read. */
typedef enum {
  SB_FIELD_TEXT,       /* char *: text, line breaks made spaces */
  SB_FIELD_NAME,       /* char *: [A-Za-z0-9._+-]{1,64}, it reaches file names and gnuplot */
  SB_FIELD_FLAG,       /* bool */
  SB_FIELD_EXPRESSION, /* sb_expression * */
  SB_FIELD_CLAUSE,     /* the same, true or false */
  SB_FIELD_CONDITION,  /* the same, of what is known before the run */
  SB_FIELD_OTHER       /* by a function of its own */
} sb_setting_kind;

typedef void sb_read(sb_sweep_reader *r, const yaml_node_t *node, void *target);
typedef struct {
  const char     *name;
  sb_setting_kind kind;
  bool            required;
  size_t          offset; /* in the section's structure */
  sb_read        *read;   /* of SB_FIELD_OTHER; `target` is the member */
} sb_sweep_field;

/* Reads a mapping into `target`, in the order of `fields`. `section` names it in messages: "a table". */
void sb_read_fields(sb_sweep_reader *r, const yaml_node_t *node, const char *section, const sb_sweep_field *fields,
                    size_t count, void *target);
/* False after a message when it is not a list (a mapping); `what` names it. */
bool sb_require_list(sb_sweep_reader *r, const yaml_node_t *node, const char *what);
bool sb_require_mapping(sb_sweep_reader *r, const yaml_node_t *node, const char *what);
/* The text of a scalar that is not empty, borrowed; NULL after a message. */
const char *sb_require_scalar(sb_sweep_reader *r, const yaml_node_t *node, const char *what);
/* False after E110 when the text has characters that command terminals. */
bool sb_require_printable(sb_sweep_reader *r, const yaml_node_t *node, const char *what, const char *text);

/* A text, a name, one of `choices` [count] by its number (`count` after a message), a whole number within bounds. */
void   sb_read_text(sb_sweep_reader *r, const yaml_node_t *node, char **text);
void   sb_read_name(sb_sweep_reader *r, const yaml_node_t *node, char **name);
size_t sb_read_choice(sb_sweep_reader *r, const yaml_node_t *node, const char *what, const char *const *choices,
                      size_t count);
bool   sb_read_count(sb_sweep_reader *r, const yaml_node_t *node, const char *what, int64_t most, int64_t *count);
/* Ids name files, so the items of a list must differ in theirs: `ids`, one an item, NULL where there is none. */
void sb_check_ids(sb_sweep_reader *r, const yaml_node_t *list, const char *const *ids);

/* The sections that say what comes out; `target` is the sweep. */
sb_read sb_read_tables, sb_read_figures, sb_read_claims, sb_read_animations;
