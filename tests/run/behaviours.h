/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Behaviours of the fake case, by the value of the option `seed`. */
#pragma once

enum {
  /* below: ends well at once */
  DIVERGES = 100,
  DOES_NOT_CONVERGE,
  HANGS,    /* until SIGTERM */
  HANGS_ON, /* until SIGKILL */
  EATS_MEMORY,
  WAITS,       /* for the file <results directory>.gate, then ends well */
  HOLDS,       /* makes <results directory>.held, and removes it after a moment; fails if it is there */
  QUIET = 120, /* from here on it takes times and watches the machine: all repetitions quiet */
  NOISY_ONCE,  /* the first repetition is noisy, and so on */
  NOISY_TWICE,
  NOISY_ALWAYS,
  KNOWN_AT_NINE, /* its median is known to 2 % from the ninth repetition on */
  NEVER_KNOWN,
  NOISY_AND_LONG, /* more than two seconds, always noisy */
  LAST_WATCHED = NOISY_AND_LONG,
  FIRST_BAD = 200,
  CRASHES = FIRST_BAD,
  EXITS_1,
  SAYS_IT_FAILED,
  IS_REFUSED,
  WRITES_NO_FILE,
  PRINTS_GARBAGE,
  FAILS_UNTIL_HEALED, /* until there is a file <results directory>.healed */
  DISK_IS_FULL,       /* the same, with the status of a storage error */
  IS_UNFIT,
  ANSWERS_FOR_ANOTHER
};
