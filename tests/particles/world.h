/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fluid of a scene, and its pressure system, without a driver. */
#pragma once

#include <petscmat.h>

#include "model/particles/fluid.h"
#include "model/particles/pressure.h"

/* The pressure system of a first step of 0.01 s: b is h D(h g) and what disorder makes too dense. */
typedef struct {
  sb_options        *options;
  sb_fluid          *fluid;
  sb_pressure_system system;
  Mat                A;
  Vec                b, q;
} world;

/* Options of "key=value" pairs with blanks between. */
sb_options *make_options(const char *pairs);

/* `scene`: "scene=... key=value ...". */
void open_world(world *w, const char *scene);
void close_world(world *w);
