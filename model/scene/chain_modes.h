/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modes of a chain of masses at spacing 1 with equal springs, in closed form. Local. */
#pragma once

#include "base/options.h"

/* The n free masses p = 1..n have the first mass if p is odd, the second if p is even. The two may differ only between
 * fixed ends. */
typedef struct {
  double wave_number; /* rad/m, in (0, pi): q */
  double omega;       /* rad/s */
  double even;        /* factor on the displacements of masses with even p, relative to those with equal masses */
} sb_chain_mode;

/* Mode `initial_mode` of a chain of `nodes` masses with these `ends`. */
sb_chain_mode sb_chain_mode_of(const sb_options *options, double stiffness, double first_mass, double second_mass);
/* Displacement of mass p, as a sine or cosine. */
double sb_chain_displacement(const sb_options *options, const sb_chain_mode *mode, double p);
