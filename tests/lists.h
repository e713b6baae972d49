/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small lists of entries, written where a test needs one. Inside a function they are not static. */
#pragma once

#include "base/options.h"

#define TEST_ENTRY(...)                                                                                                \
  &(const sb_entry) { .name = __VA_ARGS__ } /* TEST_ENTRY("newton", .uses = "linear") */
#define TEST_LIST(title, ...)                                                                                          \
  &(const sb_list)                                                                                                     \
  {                                                                                                                    \
    .family = (title), .entries = (const sb_entry *const[]){__VA_ARGS__},                                              \
    .count = sizeof((const sb_entry *const[]){__VA_ARGS__}) / sizeof(const sb_entry *)                                 \
  }
#define TEST_VOCABULARY(...)                                                                                           \
  {                                                                                                                    \
    .lists = (const sb_list *const[]){__VA_ARGS__},                                                                    \
    .count = sizeof((const sb_list *const[]){__VA_ARGS__}) / sizeof(const sb_list *)                                   \
  }
