/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of a figure: how large page and panels are, what its legend has and in which order, and the lines below
 * it. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "harness/report/figure_kind.h"
#include "harness/report/figure_layout.h"
#include "harness/report/report_text.h"
#include "harness/results/conclusion.h"

/* True if points that have a cross are in the legend. */
bool sb_figure_has_crosses(const sb_figure *f) { return f->failed && !(f->kind->traits & SB_FIGURE_BY_VALUE); }

/* Adds lines as wide as the page, broken at blanks. */
static void add_foot(sb_figure_layout *l, const char *text, sb_arena *arena)
{
  const size_t room = (size_t)((l->width - 0.4) / 0.124);
  while (*text) {
    size_t length = 0, end = 0, letters = 0; /* in bytes, but letters */
    for (; text[length] && letters <= room; ++length) {
      if (text[length] == ' ') end = length;
      letters += ((unsigned char)text[length] & 0xC0) != 0x80;
    }
    if (!text[length] || end == 0) end = strlen(text);
    *SB_NEW_ITEM(arena, l->feet, l->foot_count) = sb_arena_format(arena, "%.*s", (int)end, text);
    text += end + (text[end] == ' ');
  }
}

/* The names of grey curves, in the legend's place, come first. */
static void add_feet(sb_figure_layout *l, const sb_figure *f)
{
  sb_names grey = {0};
  SB_EACH_SERIES (f, view, s)
    if (s->faint && *s->label) sb_names_add(f->arena, &grey, s->label);
  if (grey.count > 0)
    add_foot(l, sb_arena_format(f->arena, "grey: %s", sb_names_join(f->arena, &grey, "; ", grey.count)), f->arena);
  for (size_t i = 0; i < sizeof f->feet / sizeof *f->feet; ++i)
    if (f->feet[i]) add_foot(l, f->feet[i], f->arena);
  for (size_t v = 0; v < f->view_count; ++v) {
    const sb_figure_view *view = &f->views[v];
    if (*view->absent)
      add_foot(l, sb_markdown_format(f->arena, "no curve{ of %-s}: %-s", view->title, view->absent), f->arena);
  }
  l->feet_height = l->foot_count > 0 ? 0.1 + SB_FIGURE_FOOT * (double)l->foot_count : 0;
}

/* True if the legend has a label with the look of this series. A label of published points has one entry, which
 * represents several looks. */
static bool has_entry(const sb_figure_layout *l, const sb_figure_series *s)
{
  for (size_t i = 0; i < l->count; ++i) {
    const sb_figure_series *e = l->entries[i];
    const bool one = s->line || s->layer->published || (e->layer && e->style == s->style && e->grey == s->grey);
    if (one && strcmp(e->label, s->label) == 0) return true;
  }
  return false;
}

/* The value of an identity on axis k, of which each is a line; "": it has no value. */
static const char *part_of(sb_arena *arena, const char *identity, size_t k)
{
  for (; k > 0 && strchr(identity, '\n'); --k) identity = strchr(identity, '\n') + 1;
  return k > 0 ? "" : sb_arena_copy_span(arena, identity, strcspn(identity, "\n"));
}

/* True if an entry of the same layer belongs before another that comes before it: its numbers are smaller, and their
 * words are equal; or, on a map, its ending is an earlier one. */
static bool precedes(const sb_figure *f, const sb_figure_series *s, const sb_figure_series *other)
{
  if (s->line || other->line || s->layer != other->layer || s->layer->published) return false;
  if (sb_figure_shows_value(f, s->layer) && !s->layer->value) return s->style < other->style;
  for (size_t k = 0; k < s->layer->series_count; ++k) {
    const char *a = part_of(f->arena, s->identity, k), *b = part_of(f->arena, other->identity, k);
    double      p, q;
    if (strcmp(a, b) == 0) continue;
    return sb_parse_real(a, &p) && sb_parse_real(b, &q) && p < q;
  }
  return false;
}

/* Adds the labels of lines to compare with, or all others, to the legend. Entries that differ only by a number are in
 * its order. */
static void add_entries(sb_figure_layout *l, const sb_figure *f, bool lines)
{
  SB_EACH_SERIES (f, view, s) {
    size_t width = sb_text_width(s->label);
    if (!*s->label || (s->line != NULL) != lines || has_entry(l, s)) continue;
    if (f->spec->legend == SB_LEGEND_NONE || (s->layer && f->spec->leaders > 0)) continue;
    l->entries = sb_arena_grow(f->arena, l->entries, l->count, sizeof *l->entries);
    size_t at = l->count++;
    for (; at > 0 && precedes(f, s, l->entries[at - 1]); --at) l->entries[at] = l->entries[at - 1];
    l->entries[at] = s;
    for (const char *c = s->label; *c; ++c) width -= strchr("_^{}", *c) != NULL; /* markup */
    if (width > l->key_width) l->key_width = width;
  }
}

/* Marks of published points that represent several of our series have one entry, with a remark. */
static void name_many(const sb_figure *f)
{
  SB_EACH_SERIES (f, view, s) {
    const char *label = s->label, *told = sb_arena_format(f->arena, "%s (in the colours of ours)", label);
    bool        many = false;
    if (!s->layer || !s->layer->published || s->grey || s->many || !*label) continue;
    for (int pass = 0; pass < 2; ++pass)
      SB_EACH_SERIES (f, other_view, o) {
        const bool same = o->layer && o->layer->published == s->layer->published && strcmp(o->label, label) == 0;
        many = many || (same && o->style != s->style);
        if (pass == 0 || !many || !same) continue;
        o->many = true;
        o->label = told;
      }
  }
}

bool sb_figure_shares_y_label(const sb_figure *f)
{
  const char *first = f->views->spec->y_label;
  bool        shared = first || f->spec->panel_count == 0;
  for (size_t v = 1; v < f->view_count && shared && first; ++v)
    shared = f->views[v].spec->y_label && strcmp(f->views[v].spec->y_label, first) == 0;
  return shared;
}

/* The room for the numbers of the y axis, and for names of strips and of places. */
static double left_margin(const sb_figure *f)
{
  double left = 1.5;
  for (size_t v = 0; v < f->view_count && !sb_figure_has_names(f); ++v)
    for (size_t k = 0; k < 2; ++k)
      if (f->views[v].strips[k].label)
        left = fmax(left, 0.75 + 0.13 * (double)sb_text_width(f->views[v].strips[k].label));
  for (size_t i = 0; i < f->places.count; ++i) left = fmax(left, 0.3 + 0.13 * (double)sb_text_width(f->labels[i]));
  return left;
}

/* The room beside the axes for names at the ends of curves: the longest name of a leader. */
static double right_margin(const sb_figure *f)
{
  size_t longest = 0;
  if (f->spec->leaders == 0) return 0.35;
  SB_EACH_SERIES (f, view, s)
    if (s->layer && !s->faint) longest = sb_text_width(s->label) > longest ? sb_text_width(s->label) : longest;
  return 0.35 + 0.116 * (double)longest;
}

/* True if a full frame would be nearly empty. */
static bool has_few_points(const sb_figure *f)
{
  enum { FEW = 6 };
  size_t count = 0;
  SB_EACH_SERIES (f, view, s)
    if (s->layer && !s->layer->published) count += s->count;
  return f->of_rows && f->view_count == 1 && count <= FEW && !sb_figure_has_names(f) && f->views->tile[0] == 0;
}

/* The width of the page and the height of a panel. */
static void choose_size(sb_figure_layout *l, const sb_figure *f)
{
  const char  *title = sb_results_text(f->results, f->spec->title);
  const double title_width = title ? 0.4 + 0.125 * (double)sb_text_width(title) : 0;
  const bool   few = has_few_points(f);
  l->panel_height = f->view_count > 2 ? 4.4 : few ? 4.2 : 5.1;
  l->width = f->view_count > 1 ? 18 : l->count > 6 || f->spec->leaders > 0 ? 13 : few ? 7 : 8.8;
  if (l->width == 13) l->panel_height = 6.5;
  l->width = fmax(l->width, fmin(title_width, 18)); /* one panel of several may be left */
  if (f->panel_only) {
    l->width = f->spec->level.factor > 1 ? 8.4 : 7.5; /* room for words beside the colour bar */
    l->panel_height = 4;
  }
  if (f->places.count > 0) {
    l->width = fmax(l->width, l->left + 7);
    l->panel_height = fmax(0.55 * (double)f->places.count + 0.4, 2.5);
  }
  if (f->spec->width > 0 && !f->panel_only) l->width = fmax(f->spec->width, l->left + l->right + 2);
  if (f->spec->height > 0 && !f->panel_only) l->panel_height = f->spec->height;
}

sb_figure_layout sb_figure_lay_out(const sb_figure *f)
{
  sb_figure_layout l = {.left = left_margin(f), .right = right_margin(f)};
  const bool       two = f->view_count > 3 || (f->view_count > 2 && f->spec->panel_count > 3); /* one may be empty */
  const size_t     columns = l.columns = two ? 2 : f->view_count;
  const size_t     rows = (f->view_count + columns - 1) / columns;
  double           title = 0;
  name_many(f);
  for (int lines = 0; lines < 2; ++lines) add_entries(&l, f, lines);
  choose_size(&l, f);
  for (size_t v = 0; v < f->view_count; ++v)
    if (*f->views[v].title) title = 0.55;
  const size_t entries = l.count + (f->spec->legend != SB_LEGEND_NONE && sb_figure_has_crosses(f));
  const size_t beside = (size_t)fmax(floor((l.width - 0.3) / (0.12 * (double)l.key_width + 1.15)), 1);
  const bool   below = f->spec->legend == SB_LEGEND_BELOW;
  const double gap = f->spec->panel_count > 0 ? l.left + (sb_figure_shares_y_label(f) ? -0.35 : 0.1) : 1.1;
  l.key_rows = (entries + beside - 1) / beside;
  l.step_x = (l.width - l.left - l.right + gap + l.right - 0.35) / (double)columns;
  l.panel_width = l.step_x - gap - l.right + 0.35;
  add_feet(&l, f);
  l.bar_height = f->kind->put_bar ? 0.6 : 0;
  l.key_height = below ? 0.36 * (double)l.key_rows : 0;
  l.step_y = l.panel_height + 1.05 + title;
  l.height = 1.1 + l.key_height + l.bar_height + l.feet_height + 0.15 + l.step_y * (double)rows - 1.05 + 0.15;
  l.top = l.height - 0.15 - title;
  return l;
}
