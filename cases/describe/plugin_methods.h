/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of plug-ins' methods, of simulators and of methods of earlier versions in stored plans: results are read
 * without the plug-ins, the descriptions and those versions. Local; no PETSc is called. */
#pragma once

#include <jansson.h>

#include "base/options.h"

/* Adds the methods of plug-ins that a vocabulary has to {family: {name: {"claims": …, "sha256": …, "summary": …}}}. */
void sb_plugin_methods_put(const sb_vocabulary *vocabulary, json_t *methods);
/* Returns the vocabulary with those methods of such an object that it lacks. They are names: cases that use them can be
 * described and have their keys, but no process that runs a case has them. Malformed members are left out. In the
 * arena. */
const sb_vocabulary *sb_plugin_methods_take(const sb_vocabulary *vocabulary, const json_t *methods, sb_arena *arena);
/* The same with methods of earlier versions that the text of a plan, or NULL, has. */
const sb_vocabulary *sb_plugin_methods_take_former(const sb_vocabulary *vocabulary, const char *plan, sb_arena *arena);
/* Adds a method to such an object that a sweep needs and that the plug-in in `file` has: a name, with the digest
 * SB_PLUGIN_ABSENT. False for a family without plug-ins, and for a name that no method can have. */
#define SB_PLUGIN_ABSENT "absent"
bool sb_plugin_methods_need(json_t *methods, const char *family, const char *name, const char *file);
/* The plug-in's method that a case reads and that does not count its operations; NULL: none. */
const char *sb_plugin_methods_uncounted(const sb_options *options);
/* One that is a class of Python, whose times are not those of a method in C; NULL: none. */
const char *sb_plugin_methods_in_python(const sb_options *options);
