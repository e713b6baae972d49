/* Options that a sweep gives and none of its cases reads. A constant that some cases read and others do not is fine:
 * sweeps cross integrators with minimisers. Local. */
#pragma once

#include "base/options.h"

typedef struct sb_unread sb_unread;

sb_unread *sb_unread_create(const sb_vocabulary *vocabulary);
void       sb_unread_destroy(sb_unread **unread);
/* Notes what a resolved case reads of what the user gave. */
void sb_unread_note(sb_unread *unread, const sb_options *options);
/* E106 for every value that only cases have which do not read it. `overridden`: of values of the command line alone,
 * since others of the file may then be without the cases that they were for. */
bool sb_unread_check(const sb_unread *unread, bool overridden, sb_diagnostics *diagnostics);
