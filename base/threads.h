/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work shared among threads by OpenMP if the build has it (cmake/dependencies.cmake); otherwise the same lines run on
 * one thread:
 *
 *     SB_OMP(parallel for num_threads(threads) schedule(static, 1))
 *     for (int part = 0; part < threads; ++part) ...
 *
 * The number of threads is always given: it is the case's option `threads`, not a default of the machine or the
 * environment. OpenMP may start fewer (OMP_THREAD_LIMIT), so a region must be right for any number, as loops over parts
 * are, and its results must not depend on it. Code for one thread does not use a region: even a region of one prevents
 * gcc's optimisations. */
#pragma once

#ifdef _OPENMP
#define SB_OMP_PRAGMA(text) _Pragma(#text)
#define SB_OMP(directive)   SB_OMP_PRAGMA(omp directive)
#else
#define SB_OMP(directive)
#endif
