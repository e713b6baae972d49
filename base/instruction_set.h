/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels compiled for several instruction sets; the program chooses one set when it runs.
 *
 * sb_for_instruction_sets (cmake/instruction_sets.cmake) compiles a file once per set, with SB_SET as its name:
 * portable, avx2, avx512. The file defines one table of functions, SB_OF_SET(stem). Callers declare the tables with
 * SB_DECLARE_TABLES(stem_type, stem) and write
 *
 *     static const stem_type *const tables[] = SB_TABLES(stem);
 *     ... tables[sb_instruction_set_best()] */
#pragma once

typedef enum { SB_PORTABLE, SB_AVX2, SB_AVX512 } sb_instruction_set;

/* Returns the best set that this processor and this build have; all lower sets run too. SB_AVX2 is x86-64-v3 (with
 * FMA), SB_AVX512 is x86-64-v4. */
sb_instruction_set sb_instruction_set_best(void);
const char        *sb_instruction_set_name(sb_instruction_set set);

#define SB_JOIN_(stem, set) stem##_##set
#define SB_JOIN(stem, set)  SB_JOIN_(stem, set)
#define SB_OF_SET(stem)     SB_JOIN(stem, SB_SET)

#if defined __x86_64__
#define SB_DECLARE_TABLES(type, stem) extern const type stem##_portable, stem##_avx2, stem##_avx512
#define SB_TABLES(stem)                                                                                                \
  {                                                                                                                    \
    &stem##_portable, &stem##_avx2, &stem##_avx512                                                                     \
  }
#else
#define SB_DECLARE_TABLES(type, stem) extern const type stem##_portable
#define SB_TABLES(stem)                                                                                                \
  {                                                                                                                    \
    &stem##_portable                                                                                                   \
  }
#endif
