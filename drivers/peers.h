/* Stand-ins for the programs that others have published: the same work, written as they write it, on Eigen.
 *
 * None of their code is here; each stand-in says whose loop it follows. They hold pinned vertices as those programs do,
 * by springs of a large stiffness, so that their states are those of pin_method=penalty. peers_eigen.cpp has them where
 * Eigen was found when the project was configured, peers_none.c says that they are missing. Plain arrays, SI units, no
 * PETSc; one process, one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The net and how it moves; copied. */
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
  bool          inertial;   /* a step begins at x + h v + h^2 g, not at x */
} sb_peer_net;

typedef struct sb_peer sb_peer;

/* Why a build has no stand-ins. */
#define SB_PEERS_MISSING                                                                                               \
  "this build has no stand-ins: they need a C++ compiler and Eigen (Debian: g++, libeigen3-dev) when CMake "           \
  "configures it"

/* Sets up the stand-in of this name, factorisations included. NULL: there is no such stand-in in this build, or no
 * memory, or its matrix is not positive definite; *why says which. */
sb_peer *sb_peer_create(const char *name, const sb_peer_net *net, const char **why);
/* One time step of so many iterations (of explicit methods: one). False: a factorisation failed. */
bool sb_peer_step(sb_peer *peer, int iterations);
/* Both [vertices][3]. */
void sb_peer_state(const sb_peer *peer, double *position, double *velocity);
void sb_peer_destroy(sb_peer *peer);

#ifdef __cplusplus
}
#endif
