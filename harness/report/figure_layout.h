/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of the page of a figure, in cm. The legend has each label once, in the order of the panels, where entries
 * that differ by a number are in its order; reference lines are last. Inside the harness only. Local; no PETSc. */
#pragma once

#include "harness/report/figure.h"

#define SB_FIGURE_FOOT 0.34 /* height of a line below the legend */
typedef struct {
  double                   width, height, left, right, top, panel_width, panel_height, step_x, step_y;
  double                   key_height, bar_height;       /* room for the legend and a colour bar below the axes */
  size_t                   columns, key_rows, key_width; /* key_width: characters of its longest label */
  size_t                   foot_count;                   /* lines below the legend, */
  const char             **feet;
  double                   feet_height; /* and the room that they take */
  size_t                   count;
  const sb_figure_series **entries;
} sb_figure_layout;
sb_figure_layout sb_figure_lay_out(const sb_figure *figure);
bool             sb_figure_has_crosses(const sb_figure *figure);
/* True if all panels have one label of the y axis, which is then at the first of a row. */
bool sb_figure_shares_y_label(const sb_figure *figure);
