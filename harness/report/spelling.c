/* Names as people write them; see spelling.h. */
#include "harness/report/spelling.h"

#include <string.h>

/* Where a name is not just its parts with blanks between; longer ones first. */
static const struct {
  const char *name, *words;
} spelled[] = {{"local_global", "local-global"},
               {"stoermer_verlet", "Störmer-Verlet"},
               {"edge_midpoint", "edge midpoint"},
               {"midpoint", "midpoint rule"},
               {"rk4", "Runge-Kutta 4"},
               {"blowup", "blow-up"},
               {"euler", "Euler"},
               {"verlet", "Verlet"},
               {"newton", "Newton"},
               {"jacobi", "Jacobi"},
               {"cholesky", "Cholesky"},
               {"cg", "CG"},
               {"pcg", "PCG"},
               {"icc", "ICC"},
               {"lu", "LU"}};

static bool is_name(const char *text)
{
  return *text >= 'a' && *text <= 'z' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static const char *spell(sb_arena *arena, const char *name)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  for (const char *at = name; *at; at += *at == '_') {
    const char *words = NULL;
    size_t      length = strcspn(at, "_");
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled && !words; ++i) {
      const size_t whole = strlen(spelled[i].name);
      if (strncmp(at, spelled[i].name, whole) != 0 || (at[whole] != '_' && at[whole] != '\0')) continue;
      words = spelled[i].words;
      length = whole;
    }
    if (length == 3 && at > name + 2 && strncmp(at - 3, "to_1e", 5) == 0) /* names of columns have no minus sign */
      words = sb_arena_format(arena, "1e-%c", at[2]);
    fprintf(stream, "%s%.*s", at > name ? " " : "", words ? (int)strlen(words) : (int)length, words ? words : at);
    at += length;
  }
  return sb_arena_text(&writer);
}

static const char *given(const sb_sweep *sweep, const char *name)
{
  for (size_t i = 0; i < sweep->wording_count; ++i)
    if (strcmp(sweep->wordings[i].name, name) == 0) return sweep->wordings[i].words;
  return NULL;
}

const char *sb_spelled_axis(sb_arena *arena, const sb_sweep *sweep, const char *axis)
{
  const char *words = given(sweep, axis);
  return words ? words : spell(arena, axis);
}

const char *sb_spelled_value(sb_arena *arena, const sb_sweep *sweep, const char *axis, const char *value)
{
  const char *words = given(sweep, sb_arena_format(arena, "%s=%s", axis, value));
  if (!words && strcmp(axis, "method") == 0) words = given(sweep, value);
  if (words) return words;
  return is_name(value) ? spell(arena, value) : value;
}
