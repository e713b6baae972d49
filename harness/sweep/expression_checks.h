/* The parts of sb_expression_check, inside the harness: names, then what the parts can be, then the values that they
 * are compared with. Local. */
#pragma once

#include "harness/sweep/expression_check.h"
#include "harness/sweep/expression_tree.h"

typedef struct {
  sb_known_names  known;
  const char     *text;
  sb_location     where;
  sb_diagnostics *diagnostics;
} sb_expression_checks;

/* Where the byte `at` of the text stands. */
sb_location sb_expression_place(const sb_expression_checks *checks, size_t at);
/* Whether the name is a column, an option or `method`. */
bool sb_expression_is_column(const sb_expression_checks *checks, const char *name);

/* E102 for what is certainly of the wrong type; E106 for a value that an option, status or axis cannot have. */
void sb_expression_check_types(const sb_expression_checks *checks, const sb_node *root);
void sb_expression_check_values(const sb_expression_checks *checks, const sb_node *root);
