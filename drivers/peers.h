/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stand-ins for published programs: the same work, written in their style, on Eigen.
 *
 * They contain none of the original code; each names the program whose loop it follows. Two follow no program but our
 * own Newton and Newton-CG, on CHOLMOD and Eigen. They hold pinned vertices as
 * those programs do, by stiff springs, so that their states are those of pin_method=penalty. peers_eigen.cpp is built
 * if Eigen was found at configuration, otherwise peers_none.c, which reports that they are missing. Plain arrays, SI
 * units, no PETSc; one process, one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The net and its forces; copied. */
typedef struct {
  size_t        vertices, springs;
  const double *position, *velocity; /* [vertices][3] at the start */
  const double *mass;                /* [vertices] */
  const bool   *pinned;              /* [vertices] */
  const int    *first, *second;      /* [springs] vertex numbers */
  const double *stiffness;           /* [springs] */
  const double *rest_length;         /* [springs] */
  double        gravity[3], h_seconds;
  double        pin_weight; /* N/m */
  bool          inertial;   /* a step starts from x + h v + h^2 g, not from x */
} sb_peer_net;

typedef struct sb_peer sb_peer;

/* The reason why a build lacks stand-ins. */
#define SB_PEERS_MISSING                                                                                               \
  "this build has no stand-ins: they need a C++ compiler and Eigen (Debian: g++, libeigen3-dev) when CMake "           \
  "configures it"

/* Sets up the stand-in of this name, including factorisations. NULL, with the reason in *why, if this build has no such
 * stand-in, memory is out, or its matrix is not positive definite. */
sb_peer *sb_peer_create(const char *name, const sb_peer_net *net, const char **why);
/* One time step of `iterations` iterations (explicit methods: one). False: a factorisation failed. */
bool sb_peer_step(sb_peer *peer, int iterations);
/* Both [vertices][3]. */
void sb_peer_state(const sb_peer *peer, double *position, double *velocity);
void sb_peer_destroy(sb_peer *peer);

#ifdef __cplusplus
}
#endif
