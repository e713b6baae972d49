/* Work shared among threads by OpenMP, where the build has it (cmake/dependencies.cmake); elsewhere the same lines are
 * those of one thread:
 *
 *     SB_OMP(parallel for num_threads(threads) schedule(static, 1))
 *     for (int part = 0; part < threads; ++part) ...
 *
 * The number of threads is always said: it is the case's, option `threads`, and no machine's or environment's. There
 * may still be fewer (OMP_THREAD_LIMIT), so a region must be right for any number, as loops over parts are, and what it
 * computes must not depend on it. What one thread does goes past this: a region of one costs what it prevents gcc from
 * seeing. */
#pragma once

#ifdef _OPENMP
#define SB_OMP_PRAGMA(text) _Pragma(#text)
#define SB_OMP(directive)   SB_OMP_PRAGMA(omp directive)
#else
#define SB_OMP(directive)
#endif
