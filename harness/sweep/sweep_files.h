/* What a sweep names outside its file: figure scripts, published tables, findings. Local. */
#pragma once

#include "harness/sweep/sweep.h"

/* The script of a figure: beside the sweep file, among the copies that a results directory keeps of such
 * (figures/scripts), or in the data directory's plots/. NULL: in none of them. */
char *sb_sweep_script(const sb_sweep *sweep, const char *name, sb_arena *arena);
/* Keeps copies in a results directory of the scripts that stand beside the sweep file, or among the copies that its
 * results directory keeps: from there the figures are drawn again. */
bool sb_sweep_keep_scripts(const sb_sweep *sweep, const char *directory);
/* E100, E101 or E106 for what is not there. Before anything is computed: after hours a figure cannot be drawn, or a
 * claim is about nothing. */
bool sb_sweep_check_files(const sb_sweep *sweep, const sb_session *session);
