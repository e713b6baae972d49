/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Acceleration fields a_w(x, t), named by option `wind` (docs/model.md section 1). Local.
 *
 * A field is one file model/forces/fields/<name>.c with one const table `sb_field_<name>`, and one line in fields.def.
 */
#pragma once

#include "base/composite.h"
#include "base/options.h"

typedef struct sb_field sb_field;

/* For authors of fields. */
typedef struct {
  sb_form form; /* first: a value names its kind */
  size_t  state_bytes;
  /* Optional: fills a zeroed state from the value; false if memory is out. */
  bool (*prepare)(void *state, const sb_composite *value);
  /* acceleration[3 i + c] = a_w(position i, t), every element written. position, acceleration [count][3]; m, s, m/s^2.
   */
  void (*evaluate)(void *state, const sb_composite *value, double t_seconds, size_t count, const double *position,
                   double *acceleration);
  void (*destroy)(void *state); /* optional: frees allocations of prepare inside the state */
} sb_field_kind;

SB_DECLARE_LIST(sb_field_kind, sb_fields)

/* The field of a resolved set, the sum if it has several kinds; copies what it needs. *field is NULL, and the result
 * true, if `wind` is none or unset; false if memory is out. */
bool sb_field_create(const sb_options *options, sb_field **field);
void sb_field_destroy(sb_field **field);
/* The field has the sum of this array [count][3] (borrowed) and its kinds; NULL: only its kinds. Makes a field where
 * *field is NULL, and destroys one that has nothing left. False if memory is out. */
bool sb_field_set_push(sb_field **field, const double *acceleration);
void sb_field_evaluate(sb_field *field, double t_seconds, size_t count, const double *position, double *acceleration);
/* E214 at `wind` if the field of the set is not finite at a position [count][3] at t = 0. */
bool sb_field_check_start(const sb_options *options, size_t count, const double *position, sb_diagnostics *diagnostics);
