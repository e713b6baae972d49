/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that fuzz targets share; see fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/option_ids.h"

void fuzz_require(bool holds, const char *what)
{
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (!text) abort();
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *level)
{
  (void)about;
  (void)kind;
  (void)level;
  return remove(path);
}

/* The folder of this process, so that several may run at once. */
static const char *base(void)
{
  static char path[64];
  if (!*path)
    snprintf(path, sizeof path, "%s/fuzz-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
  return path;
}

static void remove_folder(void) { nftw(base(), remove_one, 8, FTW_DEPTH | FTW_PHYS); }

const char *fuzz_folder(void)
{
  static bool made;
  if (!made) {
    remove_folder();
    fuzz_require(mkdir(base(), 0700) == 0, "a folder for files is made");
    atexit(remove_folder);
    made = true;
  }
  return base();
}

static void write_file(const char *path, const void *bytes, size_t size)
{
  const int  file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = file >= 0 && (size == 0 || write(file, bytes, size) == (ssize_t)size);
  fuzz_require(written && close(file) == 0, "a file is written");
}

void fuzz_write(const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
  write_file(path, text, strlen(text));
}

const char *fuzz_file(const char *suffix, const uint8_t *data, size_t size)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/input%s", fuzz_folder(), suffix);
  write_file(path, data, size);
  return path;
}

/* Bytes of the line break at `at`, as YAML counts them: CR, LF, both, NEL, LS, PS. */
static size_t line_break(const uint8_t *at, size_t left)
{
  if (left >= 2 && at[0] == '\r' && at[1] == '\n') return 2;
  if (at[0] == '\r' || at[0] == '\n') return 1;
  if (left >= 2 && at[0] == 0xc2 && at[1] == 0x85) return 2;
  return left >= 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9) ? 3 : 0;
}

static long count_lines(const uint8_t *data, size_t size)
{
  long lines = 1;
  for (size_t i = 0; i < size;) {
    const size_t length = line_break(data + i, size - i);
    lines += length > 0;
    i += length > 0 ? length : 1;
  }
  return lines;
}

static bool is_inside(const char *message, size_t file_length, long lines, size_t size)
{
  char      *rest = NULL;
  const long line = strtol(message + file_length + 1, &rest, 10);
  const long column = rest && *rest == ':' ? strtol(rest + 1, NULL, 10) : 0;
  return line >= 0 && line <= lines && column >= 0 && (size_t)column <= size + 2;
}

/* A value that runs over several lines counts as one line of its own, hence columns up to the text's size. */
void fuzz_require_located(const sb_diagnostics *diagnostics, const char *file, const uint8_t *data, size_t size)
{
  const size_t length = strlen(file);
  const long   lines = sb_diagnostics_message(diagnostics, 0) ? count_lines(data, size) : 0;
  const char  *message = NULL;
  for (size_t i = 0; (message = sb_diagnostics_message(diagnostics, i)); ++i) {
    const bool named = strncmp(message, file, length) == 0 && message[length] == ':';
    if (named && is_inside(message, length, lines, size)) continue;
    fprintf(stderr, "%s\n", message);
    fuzz_require(false, "a message is located inside the file");
  }
}

void fuzz_reset_options(sb_options *options)
{
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    const char        *preset = sb_option_at(id)->preset;
    const sb_origin    origin = sb_options_origin(options, id);
    if (origin == (preset ? SB_FROM_TABLE : SB_FROM_NOBODY)) continue;
    sb_options_unset(options, id);
    if (preset) sb_options_set(options, id, preset, SB_FROM_TABLE, (sb_location){0}, NULL);
  }
}

unsigned fuzz_byte(fuzz_bytes *bytes) { return bytes->at < bytes->end ? *bytes->at++ : 0; }

size_t fuzz_pick(fuzz_bytes *bytes, size_t count)
{
  const size_t low = fuzz_byte(bytes);
  return count <= 256 ? low % count : (low | (size_t)fuzz_byte(bytes) << 8) % count;
}

double fuzz_unit(fuzz_bytes *bytes)
{
  const unsigned low = fuzz_byte(bytes);
  return (double)(low | fuzz_byte(bytes) << 8) / 65535.0;
}
