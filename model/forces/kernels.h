/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of springs on plain arrays: only the formulas of docs/model.md section 1.
 *
 * Every function is Local, allocates nothing, calls only libm and returns void or a sum. Positions are [vertices][3] in
 * local numbering (owned vertices first, then ghosts). Springs are in the order of the global list, so that each owned
 * vertex sums its contributions in the same order, with the same bits, on any number of ranks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SB_LAW_PARAMETERS = 2 };

/* Springs that touch an owned vertex, in global order. Structure of arrays. */
typedef struct {
  int      count;
  int     *first, *second; /* [count] local vertex numbers */
  double  *stiffness;      /* [count] N/m */
  double  *rest_length;    /* [count] m */
  uint8_t *counted;        /* [count] 1 if this rank owns `first`: sums over ranks count each spring once */
  double  *parameter[SB_LAW_PARAMETERS]; /* [count] of its law; NULL: that of the option */
} sb_springs;

/* Factors on negative eigenvalues of Hessians; see assembly.h. */
#define SB_HESSIAN_EXACT     1.0
#define SB_HESSIAN_PROJECTED 0.0

#define SB_HESSIAN_ABSOLUTE -1.0

/* f += -grad E: on x_i, -k (r - l) u with u = (x_i - x_j)/r. A spring of length 0 has no force. force [vertices][3]. */
void sb_kernel_add_elastic_forces(const sb_springs *springs, const double *restrict position, double *restrict force);
/* Sum of 1/2 k (r - l)^2 over counted springs. */
double sb_kernel_elastic_energy(const sb_springs *springs, const double *restrict position);
/* rhs += J d: k l u on i and -k l u on j (local step of projective dynamics, d_s = l_s u_s, fused with J). */
void sb_kernel_add_local_step(const sb_springs *springs, const double *restrict position, double *restrict rhs);
/* force += -(k_d + beta k) ((v_i - v_j).u) u on i, the opposite on j; k_d in N s/m, beta in s. velocity [vertices][3].
 */
void sb_kernel_add_damping(const sb_springs *springs, double damping, double beta, const double *restrict position,
                           const double *restrict velocity, double *restrict force);
/* Sum over counted springs of q^T H_s q, q = p_i - p_j, with H_s as in assembly.h and negative eigenvalues times
 * `negative`; direction p [vertices][3]. The second sums k |q|^2, an upper bound, with these k. */
double sb_kernel_curvature(const sb_springs *springs, double negative, const double *restrict position,
                           const double *restrict direction);
double sb_kernel_laplacian_curvature(const sb_springs *springs, const double *stiffness,
                                     const double *restrict direction);
/* coefficient [springs][4] = w, a with H_s = a I + w w^T: products need no root and no quotient. 0 <= negative. minus
 * [springs], NULL: all false: H_s = a I - w w^T, for tangents of laws that soften. */
void sb_kernel_hessian_coefficients(const sb_springs *springs, double negative, const double *restrict position,
                                    double *restrict coefficient, bool *restrict minus);
/* product += H p, spring by spring: H_s q on i, the opposite on j. */
void sb_kernel_add_hessian_product(const sb_springs *springs, const double *restrict coefficient,
                                   const bool *restrict minus, const double *restrict direction,
                                   double *restrict product);
/* A turn of conjugate gradients on `count` numbers: out += alpha p, then p = scaled + beta p. */
typedef struct {
  double        alpha, beta;
  const double *scaled;
  double       *out, *direction; /* p */
} sb_cg_turn;
void sb_kernel_turn(long count, const sb_cg_turn *turn);
/* block [vertices][6] += the diagonal blocks of H, upper triangles (xx xy xz yy yz zz). */
void sb_kernel_add_hessian_blocks(const sb_springs *springs, double negative, const double *restrict position,
                                  double *restrict block);
/* Largest |length/rest length - 1| of springs that have a rest length. */
double sb_kernel_strain_max(const sb_springs *springs, const double *restrict position);
