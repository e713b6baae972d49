/* What the data files of figures are made of: cells, names of columns, the case files behind rows. Inside the harness
 * only. Local; no PETSc. */
#pragma once

#include "harness/report/report.h"

/* Names of columns, in order and each once. Owned. */
typedef struct {
  size_t count;
  char **names;
} sb_name_list;

void sb_names_add(sb_name_list *list, const char *name);
/* Every option that the sweep sets. */
void sb_names_add_settings(sb_name_list *list, const sb_sweep *sweep);
/* Those of `wanted` (NULL: none) that are options. */
void sb_names_add_options(sb_name_list *list, const sb_name_list *wanted);
void sb_names_clear(sb_name_list *list);

/* Cells, and tab-separated lists of them, without the end of the line. An empty word is `?`, as is a number that is not
 * finite. */
void sb_cell_put_word(FILE *stream, const char *word);
void sb_cell_put_number(FILE *stream, double number);
void sb_names_put(FILE *stream, const sb_name_list *list);
/* The values that a row has under these names. */
void sb_cells_put(FILE *stream, const sb_results *results, const sb_name_list *list, size_t row);

/* The case file of a row, malloc'ed into *path; NULL where there is none: a case that has not run, that stores nothing,
 * or that failed before it could write. False with a message when it is there and damaged. */
bool sb_figure_case_path(const sb_results *results, size_t row, char **path, char error[256]);
