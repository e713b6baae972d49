/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sheets: a square grid of vertices and the spring patterns of docs/model.md section 7.
 *
 * Vertices row by row, id = j (N + 1) + i. Springs vertex by vertex in the order of section 1: along i, along j, the
 * diagonals of the cell ((i, j)-(i+1, j+1) before (i+1, j)-(i, j+1) where both are there), two apart along i, along j.
 */
#include "model/scene/scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

typedef enum { NO_DIAGONAL, ANTI_DIAGONAL, MAIN_DIAGONAL, ALTERNATING_DIAGONAL, BOTH_DIAGONALS } diagonals;

typedef struct {
  SB_ENTRY_HEAD;
  diagonals diagonal;
  bool      bending;
} pattern;

static const sb_entry *const patterns[] = {
#define SB_SPRINGS(title, diagonals, bends, about)                                                                     \
  &(const pattern){.name = (title), .summary = (about), .diagonal = (diagonals), .bending = (bends)}.entry,
#include "model/scene/springs.def"
#undef SB_SPRINGS
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const char *scenes = "";
  (void)entry; /* the scene of sheets accepts all of them */
  for (size_t i = 0; i < sb_scene_count(); ++i)
    if (sb_has_word(sb_scene_at(i)->uses, "springs"))
      scenes = sb_arena_format(d->arena, "%s %s", scenes, sb_scene_at(i)->name);
  sb_describe_words(d, "scenes", scenes);
}

const sb_list sb_spring_patterns = {
    .family = "springs",
    .title = "Spring patterns of sheets",
    .about = "Named by option `springs`. Stiffnesses are those of `stiffness`, of `stiffness_warp` (rows), "
             "`stiffness_weft` (columns), `stiffness_bias` or `stiffness_shear` (diagonals) and `stiffness_bending`, "
             "or `young`.",
    .brief = true,
    SB_LIST_ENTRIES(patterns),
    .describe = describe,
};

typedef struct {
  int32_t   cells, side; /* side = cells + 1 vertices */
  diagonals diagonal;
  bool      bending;
  double    stiffness[SB_BENDING + 1][SB_DIRECTIONS];
  sb_range  own;       /* vertices owned */
  int32_t   low, high; /* first and last row of the pose */
} sheet;

static sheet sheet_of(const sb_options *options)
{
  const pattern *springs = (const void *)sb_list_find(&sb_spring_patterns, SB_TEXT(options, springs));
  sheet          s = {.cells = (int32_t)SB_INTEGER(options, grid)};
  s.side = s.cells + 1;
  if (springs) s.diagonal = springs->diagonal;
  if (springs) s.bending = springs->bending;
  for (int kind = SB_STRUCTURAL; kind <= SB_BENDING; ++kind)
    for (int along = SB_WARP; along < SB_DIRECTIONS; ++along)
      s.stiffness[kind][along] = sb_scene_stiffness_along(options, (sb_spring_kind)kind, (sb_direction)along);
  return s;
}

static void place_vertices(const sheet *s, const sb_lattice *lattice, double *position)
{
  for (int32_t j = s->low; j <= s->high; ++j)
    for (int32_t i = 0; i < s->side; ++i)
      for (int c = 0; c < 3; ++c)
        *position++ = (lattice->origin[c] + i * lattice->u[c] + j * lattice->v[c]) / lattice->divisor;
}

static bool add(const sheet *s, sb_pose *pose, int32_t first, int32_t second, sb_spring_kind kind, sb_direction along)
{
  const int32_t start = s->low * s->side;
  return sb_pose_add_spring(pose, first - start, second - start, s->stiffness[kind][along], kind);
}

static bool has_main_diagonal(const sheet *s, int32_t i, int32_t j)
{
  return s->diagonal == MAIN_DIAGONAL || s->diagonal == BOTH_DIAGONALS ||
         (s->diagonal == ALTERNATING_DIAGONAL && (i + j) % 2 == 1);
}

static bool has_anti_diagonal(const sheet *s, int32_t i, int32_t j)
{
  return s->diagonal == ANTI_DIAGONAL || s->diagonal == BOTH_DIAGONALS ||
         (s->diagonal == ALTERNATING_DIAGONAL && (i + j) % 2 == 0);
}

static bool add_springs_of(const sheet *s, sb_pose *pose, int32_t i, int32_t j)
{
  const int32_t n = s->cells, row = s->side, id = j * row + i;
  if (i < n && !add(s, pose, id, id + 1, SB_STRUCTURAL, SB_WARP)) return false;
  if (j < n && !add(s, pose, id, id + row, SB_STRUCTURAL, SB_WEFT)) return false;
  if (i < n && j < n) {
    if (has_main_diagonal(s, i, j) && !add(s, pose, id, id + row + 1, SB_SHEAR, SB_BIAS)) return false;
    if (has_anti_diagonal(s, i, j) && !add(s, pose, id + 1, id + row, SB_SHEAR, SB_BIAS)) return false;
  }
  if (!s->bending) return true;
  if (i + 2 <= n && !add(s, pose, id, id + 2, SB_BENDING, SB_WARP)) return false;
  return j + 2 > n || add(s, pose, id, id + 2 * row, SB_BENDING, SB_WEFT);
}

/* The number of springs of the vertices in the rows below `rows`. */
static size_t count_springs(const sheet *s, size_t rows)
{
  const size_t n = (size_t)s->cells, with_cells = rows < n ? rows : n, upright = rows + 1 < n ? rows : n - 1;
  const size_t a_cell = s->diagonal == NO_DIAGONAL ? 0 : s->diagonal == BOTH_DIAGONALS ? 2 : 1;
  const size_t plain = rows * n + with_cells * (n + 1) + with_cells * n * a_cell;
  return plain + (s->bending ? rows * (n - 1) + upright * (n + 1) : 0);
}

/* Cells at the vertices below `end`. */
static size_t count_cells(const sheet *s, size_t end)
{
  const size_t n = (size_t)s->cells, rows = end / (n + 1), rest = end % (n + 1);
  return rows < n ? rows * n + (rest < n ? rest : n) : n * n;
}

/* Two triangles a cell, cut along the diagonal that the springs have, so that pictures show the edges that act. */
static bool add_triangles(const sheet *s, sb_pose *pose)
{
  const size_t n = (size_t)s->cells, start = (size_t)s->low * (n + 1);
  const size_t first = count_cells(s, s->own.first), end = count_cells(s, s->own.first + s->own.count);
  int32_t     *t = pose->triangle = malloc((6 * (end - first) + 1) * sizeof *t);
  if (!t) return false;
  pose->triangles = 2 * (end - first);
  for (size_t cell = first; cell < end; ++cell, t += 6) {
    const int32_t i = (int32_t)(cell % n), j = (int32_t)(cell / n);
    const int32_t a = j * s->side + i - (int32_t)start, b = a + 1, c = a + s->side, d = c + 1;
    const bool    main = s->diagonal != BOTH_DIAGONALS && has_main_diagonal(s, i, j);
    memcpy(t, main ? (int32_t[]){a, b, d, a, d, c} : (int32_t[]){a, b, c, b, d, c}, 6 * sizeof *t);
  }
  return true;
}

/* The vertices owned, and the rows that are needed for them: springs reach one row, or two. */
static void cut(sheet *s, const sb_team *team)
{
  const size_t  side = (size_t)s->side;
  const int32_t reach = s->bending ? 2 : 1;
  s->own = sb_owned_vertices(side * side, team ? team->rank : 0, team ? team->ranks : 1);
  s->low = s->high = 0;
  if (s->own.count == 0) return;
  s->low = (int32_t)(s->own.first / side) - reach;
  s->high = (int32_t)((s->own.first + s->own.count - 1) / side) + reach;
  if (s->low < 0) s->low = 0;
  if (s->high > s->cells) s->high = s->cells;
}

/* Springs of the vertices from the lowest row to the last owned one: no later one makes a spring to those owned. */
static bool add_springs(const sheet *s, sb_pose *pose)
{
  const size_t side = (size_t)s->side, end = s->own.first + s->own.count;
  const size_t before = count_springs(s, (size_t)s->low), rows = (end + side - 1) / side;
  if (s->own.count == 0) return true;
  if (!sb_pose_reserve(pose, count_springs(s, rows) - before)) return false;
  for (size_t v = (size_t)s->low * side; v < end; ++v) {
    if (v == s->own.first) pose->slab.own_springs.first = pose->springs;
    if (!add_springs_of(s, pose, (int32_t)(v % side), (int32_t)(v / side))) return false;
  }
  pose->slab.own_springs.count = pose->springs - pose->slab.own_springs.first;
  return true;
}

static void note_slab(const sheet *s, sb_slab *slab, size_t triangles)
{
  const size_t n = (size_t)s->cells, start = (size_t)s->low * (n + 1);
  slab->vertices = (n + 1) * (n + 1);
  slab->springs = count_springs(s, n + 1);
  slab->triangles = 2 * n * n;
  slab->first_vertex = start;
  slab->first_spring = count_springs(s, (size_t)s->low);
  slab->first_triangle = 2 * count_cells(s, s->own.first);
  slab->own_vertices = (sb_range){s->own.count > 0 ? s->own.first - start : 0, s->own.count};
  slab->own_triangles = (sb_range){0, triangles};
}

bool sb_pose_grid(sb_pose *pose, const sb_options *options, const sb_lattice *lattice)
{
  sheet s = sheet_of(options);
  cut(&s, pose->slab.team);
  if (!sb_pose_allocate(pose, (size_t)(s.high - s.low + 1) * (size_t)s.side)) return false;
  place_vertices(&s, lattice, pose->position);
  if (!add_springs(&s, pose) || !add_triangles(&s, pose)) return false;
  note_slab(&s, &pose->slab, pose->triangles);
  return true;
}

bool sb_pose_sheet(sb_pose *pose, const sb_options *options, double corner)
{
  const double     n = (double)SB_INTEGER(options, grid), edge = SB_REAL(options, extent), start = n * corner * edge;
  const sb_lattice lattice = {{start, start, 0.0}, {edge, 0.0, 0.0}, {0.0, edge, 0.0}, n};
  return sb_pose_grid(pose, options, &lattice);
}

void sb_pose_grid_pins(const sb_options *options, const char *name, sb_pose *pose)
{
  const size_t n = (size_t)SB_INTEGER(options, grid), last = (n + 1) * (n + 1) - 1;
  const size_t corner[4] = {0, n, last - n, last};
  const int    corners = strcmp(name, "corner1") == 0 ? 1 : strcmp(name, "corners2") == 0 ? 2 : 4;
  if (strncmp(name, "corner", 6) == 0)
    for (int k = 0; k < corners; ++k) sb_pose_pin_vertex(pose, corner[k]);
  if (strcmp(name, "diagonal2") == 0)
    for (int k = 0; k < 4; k += 3) sb_pose_pin_vertex(pose, corner[k]);
  if (strcmp(name, "edge_midpoint") == 0) sb_pose_pin_vertex(pose, n / 2);
  if (strcmp(name, "first_edge") == 0)
    for (size_t i = 0; i <= n; ++i) sb_pose_pin_vertex(pose, i);
}
