/* A table for terminals: columns aligned, rules only above and below, the smallest of a row marked by a star,
 * a number of a failed case by an exclamation mark. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

enum { LINE_WIDTH = 100 };

/* Characters, not bytes: continuation bytes of UTF-8 take no room. */
static size_t width(const char *text)
{
  size_t count = 0;
  for (; *text; ++text) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static void fill(FILE *stream, char c, size_t count)
{
  for (size_t i = 0; i < count; ++i) fputc(c, stream);
}

/* Control characters would move the cursor. */
static void put(FILE *stream, const char *text)
{
  for (; *text; ++text) fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, stream);
}

static void put_aligned(FILE *stream, const char *text, size_t room, bool right)
{
  const size_t used = width(text), blanks = room > used ? room - used : 0;
  if (right) fill(stream, ' ', blanks);
  put(stream, text);
  if (!right) fill(stream, ' ', blanks);
}

/* Breaks at blanks; `text` NULL or empty writes nothing. */
static void put_wrapped(FILE *stream, const char *prefix, const char *text)
{
  if (!text || !*text) return;
  size_t column = (size_t)fprintf(stream, "%s", prefix);
  while (*text) {
    const size_t length = strcspn(text, " \n");
    char        *word = sb_format("%.*s", (int)length, text);
    if (column > 0 && column + 1 + width(word) > LINE_WIDTH) {
      fputs("\n  ", stream);
      column = 2;
    } else if (column > 0 && length > 0) {
      fputc(' ', stream);
      column++;
    }
    put(stream, word);
    column += width(word);
    free(word);
    text += length;
    text += strspn(text, " \n");
  }
  fputc('\n', stream);
}

/* How a time of a noisy machine is marked, or the blank in its place. */
static const char *noise_mark(const sb_table_layout *layout, const sb_table_cell *cell, size_t column)
{
  if (!layout->noisy || column < layout->stub_count) return "";
  return cell && cell->noisy ? "~" : " ";
}

static bool has_marks(const sb_table_layout *layout, size_t column)
{
  return (layout->bold || layout->marked) && column >= layout->stub_count;
}

/* With its mark, or the blank that stands where another number of the table has one. */
static char *shown(const sb_table_layout *layout, size_t row, size_t column)
{
  const sb_table_cell *cell = sb_table_cell_at(layout, row, column);
  const bool           room = has_marks(layout, column);
  return sb_format("%s%s%s", cell->kind == SB_CELL_NO_CASE ? "-" : cell->text,
                   !room          ? ""
                   : cell->bold   ? "*"
                   : cell->marked ? "!"
                                  : " ",
                   noise_mark(layout, cell, column));
}

static char *heading(const sb_table_layout *layout, size_t column)
{
  const sb_table_heading *h = &layout->headings[column];
  const bool              room = has_marks(layout, column) && h->numeric;
  return sb_format("%s%s%s%s%s%s", h->name, *h->unit ? " (" : "", h->unit, *h->unit ? ")" : "", room ? " " : "",
                   h->numeric ? noise_mark(layout, NULL, column) : "");
}

static size_t room_of(const sb_table_layout *layout, size_t column)
{
  char  *head = heading(layout, column);
  size_t room = width(head);
  free(head);
  for (size_t r = 0; r < layout->row_count; ++r) {
    char        *cell = shown(layout, r, column);
    const size_t used = width(cell);
    if (used > room) room = used;
    free(cell);
  }
  return room;
}

static size_t sum(const size_t *rooms, size_t from, size_t to)
{
  size_t total = 0;
  for (size_t i = from; i < to; ++i) total += rooms[i] + (i > from ? 2 : 0);
  return total;
}

static void put_line(const sb_table_layout *layout, const size_t *rooms, FILE *stream, size_t row, bool head)
{
  for (size_t c = 0; c < layout->column_count; ++c) {
    char *text = head ? heading(layout, c) : shown(layout, row, c);
    if (c > 0) fputs("  ", stream);
    const bool right = layout->headings[c].numeric;
    const bool last = c + 1 == layout->column_count;
    put_aligned(stream, text, last && !right ? 0 : rooms[c], right);
    free(text);
  }
  fputc('\n', stream);
}

/* What the columns of a pivot share, over a rule of its own. */
static void put_span(const sb_table_layout *layout, const size_t *rooms, FILE *stream)
{
  const size_t indent = sum(rooms, 0, layout->stub_count) + (layout->stub_count > 0 ? 2 : 0);
  const size_t wide = sum(rooms, layout->stub_count, layout->column_count);
  fill(stream, ' ', indent);
  put(stream, layout->quantity);
  fputs(" by ", stream);
  put(stream, layout->axis);
  fputc('\n', stream);
  fill(stream, ' ', indent);
  fill(stream, '-', wide);
  fputc('\n', stream);
}

static void put_grid(const sb_table_layout *layout, const size_t *rooms, FILE *stream)
{
  const size_t wide = sum(rooms, 0, layout->column_count);
  fputc('\n', stream);
  if (layout->quantity) put_span(layout, rooms, stream);
  put_line(layout, rooms, stream, 0, true);
  fill(stream, '-', wide);
  fputc('\n', stream);
  for (size_t r = 0; r < layout->row_count; ++r) put_line(layout, rooms, stream, r, false);
  fill(stream, '-', wide);
  fputc('\n', stream);
}

void sb_table_write_text(const sb_table_layout *layout, FILE *stream)
{
  size_t *rooms = sb_allocate(layout->column_count, sizeof *rooms);
  for (size_t c = 0; c < layout->column_count; ++c) rooms[c] = room_of(layout, c);
  put_wrapped(stream, "", layout->title);
  put_wrapped(stream, "", layout->question);
  if (layout->row_count > 0)
    put_grid(layout, rooms, stream);
  else
    fprintf(stream, "\n%s\n", layout->empty);
  if (layout->bold) fprintf(stream, "* %s\n", layout->bold_means);
  if (layout->marked) fputs("! of a case that did not end ok\n", stream);
  if (layout->noisy) fputs("~ timed while the machine was noisy: see the column `noisy` of the index\n", stream);
  put_wrapped(stream, "n/a:", layout->trouble);
  put_wrapped(stream, "", layout->intervals);
  put_wrapped(stream, "Times:", layout->floor);
  put_wrapped(stream, "Constant:", layout->constants);
  put_wrapped(stream, "Source:", layout->source);
  put_wrapped(stream, "", layout->note);
  free(rooms);
}
