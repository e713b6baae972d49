/* What the fake case does, by the value of the option `seed`. */
#pragma once

enum {
  /* below: ends well at once */
  DIVERGES = 100,
  DOES_NOT_CONVERGE,
  HANGS,    /* until SIGTERM */
  HANGS_ON, /* until SIGKILL */
  EATS_MEMORY,
  WAITS, /* for the file <results directory>.gate, then ends well */
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
