/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python in this process, for plug-ins written in it. springbench links no Python. A process that runs Python already
 * is used as it is; else the shared library of the `python3` in PATH is loaded. Local; no PETSc. */
#pragma once

#include "base/springbench_plugin.h"

/* A class of a plug-in. */
typedef struct {
  const char        *name, *path; /* of the plug-in's file */
  size_t             count;       /* of its files, which are in one folder */
  const char *const *files, *const *texts;
} sb_python_class;

/* The functions of python_classes.py: those of the methods in springbench_plugin.h, for objects of a user's classes.
 * Each takes Python's lock. A function that raises an exception fails; `failure` then returns its text. */
typedef struct {
  /* NULL after an error, whose text is then in error[error_size]. */
  void *(*create)(const sb_python_class *class, const char *options, int32_t unknowns,
                  const sb_plugin_stepper *stepper, char *error, size_t error_size);
  void (*destroy)(void *object);
  const char *(*failure)(const void *object); /* of the last call; NULL: it returned */
  double (*flops)(const void *object);
  sb_plugin_outcome (*set_matrix)(void *solver, const sb_plugin_matrix *A, int new_pattern);
  sb_plugin_outcome (*solve)(void *solver, const double *b, double *x, sb_plugin_solve *goal);
  sb_plugin_outcome (*begin)(void *minimizer, const sb_plugin_problem *problem, const double *z);
  sb_plugin_outcome (*iterate)(void *minimizer, const sb_plugin_problem *problem, double *z);
  sb_plugin_outcome (*step)(void *integrator, const sb_plugin_stepper *stepper, int64_t number, int fresh, double *x,
                            double *v);
  sb_plugin_outcome (*evaluate)(void *law, const sb_plugin_springs *springs);
} sb_python;

/* Starts Python at the first call; it then stays until the process ends. NULL if it cannot be used, with the reason in
 * error[error_size]. */
const sb_python *sb_python_start(char *error, size_t error_size);
/* After a start that succeeded. */
const sb_python *sb_python_functions(void);
