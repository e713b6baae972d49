/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plug-ins in Python as files: what they add, and what they are made of. No Python is needed. Local; no PETSc. */
#pragma once

#include "base/springbench_plugin.h"
#include "cases/common/digest.h"
#include "cases/store/session.h"

/* True if the plug-in's file is one of Python: NAME.py. */
bool sb_python_file_is(const char *file);

/* Registers the methods that a file names in its lines
 *
 *     # springbench: minimizer NAME: SUMMARY [CLAIM, CLAIM]
 *
 * and writes the digest of the plug-in before: the SHA-256 of a text with a line for each of its files, as sha256sum
 * prints them, in the order of their names. These are the file, and those modules in its folder that an import
 * statement at the begin of a line names, there or in one of these modules. False after E100 or E106. */
bool sb_python_file_register(const char *file, sb_session *session, char digest[SB_SHA256_HEX + 1],
                             const sb_plugin_registry *registry);
