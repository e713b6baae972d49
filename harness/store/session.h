/* What every part of a command needs: memory that lives as long as the command (or as one sweep of it), the names that
 * are known, and where messages to the user go. A command makes one and hands it down; nobody keeps another. */
#pragma once

#include "base/arena.h"
#include "base/diagnostics.h"
#include "harness/store/driver.h"

typedef struct {
  sb_arena             *arena;
  const sb_vocabulary  *vocabulary;
  const sb_driver_list *drivers; /* NULL: none are known, as in tests of single rooms */
  sb_diagnostics       *diagnostics;
} sb_session;
