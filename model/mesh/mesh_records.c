/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that are a line each in a text, and numbers without anything between them in a binary file. */
#include "model/mesh/mesh_text.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = {[SB_INT8] = 1,   [SB_UINT8] = 1, [SB_INT16] = 2,   [SB_UINT16] = 2, [SB_INT32] = 4,
                               [SB_UINT32] = 4, [SB_INT64] = 8, [SB_FLOAT32] = 4, [SB_FLOAT64] = 8};

size_t sb_binary_size(sb_binary_kind kind) { return sizes[kind]; }

bool sb_record_begin(sb_mesh_text *text, const char *what)
{
  if (text->binary || sb_text_line(text)) return true;
  return sb_text_error(text, "E200", "the file ends before %s", what);
}

bool sb_record_end(sb_mesh_text *text) { return text->binary || sb_text_end_of_line(text); }

bool sb_record_last(sb_mesh_text *text, const char *last)
{
  const char *at = text->at;
  while (at < text->end && memchr(" \r\n", *at, sizeof " \r\n")) at++; /* with the zero byte */
  text->word = at;
  if (at < text->end) return sb_text_error(text, "E200", "the file continues after %s", last);
  if (at > text->at)
    sb_warning_at(text->diagnostics, (sb_location){text->file, 0, 0}, "W222", "padding after %s is ignored: %td byte%s",
                  last, at - text->at, at - text->at > 1 ? "s" : "");
  return true;
}

/* The bytes of the next number in this machine's order. */
static bool take(sb_mesh_text *text, sb_binary_kind kind, const char *what, unsigned char bytes[8])
{
  const size_t size = sizes[kind];
  text->word = text->at;
  if ((size_t)(text->end - text->at) < size) return sb_text_error(text, "E200", "the file ends before %s", what);
  for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)text->at[text->swapped ? size - 1 - i : i];
  text->at += size;
  return true;
}

bool sb_record_skip(sb_mesh_text *text, sb_binary_kind kind, const char *what)
{
  unsigned char bytes[8];
  size_t        length = 0;
  if (text->binary) return take(text, kind, what, bytes);
  return sb_text_word(text, &length) || sb_text_error(text, "E200", "the line ends before %s", what);
}

static int64_t integer_of(sb_binary_kind kind, const unsigned char bytes[8])
{
  union {
    int8_t   i8;
    uint8_t  u8;
    int16_t  i16;
    uint16_t u16;
    int32_t  i32;
    uint32_t u32;
    int64_t  i64;
  } number;
  memcpy(&number, bytes, sizes[kind]);
  switch (kind) {
  case SB_INT8:
    return number.i8;
  case SB_UINT8:
    return number.u8;
  case SB_INT16:
    return number.i16;
  case SB_UINT16:
    return number.u16;
  case SB_INT32:
    return number.i32;
  case SB_UINT32:
    return number.u32;
  default:
    return number.i64;
  }
}

bool sb_record_integer(sb_mesh_text *text, sb_binary_kind kind, const char *what, int64_t *value)
{
  unsigned char bytes[8];
  if (!text->binary) return sb_text_integer(text, what, value);
  if (kind == SB_FLOAT32 || kind == SB_FLOAT64) return sb_text_error(text, "E202", "%s is not an integer", what);
  if (!take(text, kind, what, bytes)) return false;
  *value = integer_of(kind, bytes);
  return true;
}

bool sb_record_real(sb_mesh_text *text, sb_binary_kind kind, const char *what, double *value)
{
  unsigned char bytes[8];
  float         single;
  if (!text->binary) return sb_text_real(text, what, value);
  if (!take(text, kind, what, bytes)) return false;
  if (kind == SB_FLOAT64) {
    memcpy(value, bytes, sizeof *value);
  } else if (kind == SB_FLOAT32) {
    memcpy(&single, bytes, sizeof single);
    *value = (double)single;
  } else {
    *value = (double)integer_of(kind, bytes);
  }
  return isfinite(*value) || sb_text_error(text, "E203", "%s is not finite", what);
}
