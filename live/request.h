/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of pages of `springbench live`: which members each has, and which values these may have. docs/live.md
 * has them for programs. Local. */
#pragma once

#include <jansson.h>

/* The request with the members that it may have, and no others. NULL: it is refused, *why (malloc'ed) has the reason.
 */
json_t *sb_request_read(const json_t *message, char **why);
