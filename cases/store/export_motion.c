/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See export_motion.h. An npz is a zip archive of arrays in NumPy's format (NEP 1), here without compression: .ZIP File
 * Format Specification 6.3.10, without its extensions for 4 GiB and more. */
#include "cases/store/export_motion.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/number.h"
#include "cases/common/digest.h"
#include "cases/common/durable.h"
#include "cases/store/case_file.h"

typedef struct {
  sb_arena *arena;
  hid_t     file, positions;
  hsize_t   extents[SB_H5_RANK_MAX];   /* of the positions: frames, vertices, 3 */
  size_t    times, springs, triangles; /* numbers of them */
  double   *seconds;                   /* [times] */
  int64_t  *spring, *triangle;         /* [springs][2], [triangles][3] */
  bool      unwritten;                 /* a file could not be written */
} motion;

#define NPZ_BYTES_MAX 4e9

/* False, with the cause, if the file has no motion or is damaged. */
static bool read_motion(motion *m)
{
  if (!sb_h5_exists(m->file, "particles/all/position/value")) {
    sb_h5_refuse("no state is stored in it; run the case with save=every:N");
    return false;
  }
  m->positions = sb_h5_open_dataset(m->file, "particles/all/position/value", 3, m->extents);
  m->seconds = sb_h5_read_array(m->arena, m->file, "particles/all/position/time", H5T_NATIVE_DOUBLE, 0, &m->times);
  m->spring = sb_h5_read_array(m->arena, m->file, "connectivity/springs", H5T_NATIVE_INT64, 2, &m->springs);
  m->triangle = sb_h5_read_array(m->arena, m->file, "connectivity/triangles", H5T_NATIVE_INT64, 3, &m->triangles);
  return m->positions >= 0 && m->extents[1] <= INT32_MAX && m->extents[2] == 3 && m->seconds &&
         m->times == m->extents[0] && m->spring && m->triangle;
}

/* ---- npz ---- */

static void put_number(FILE *stream, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; ++i) fputc((int)(value >> 8 * i & 255), stream);
}

/* The part that the header of a member shares with its entry in the directory. */
static void put_member(FILE *stream, const char *name, uint32_t checksum, uint64_t size)
{
  static const int january_1980 = 1 << 5 | 1;
  for (int i = 0; i < 5; ++i) put_number(stream, (uint64_t[]){20, 0, 0, 0, january_1980}[i], 2);
  put_number(stream, checksum, 4);
  put_number(stream, size, 4);
  put_number(stream, size, 4);
  put_number(stream, strlen(name), 2);
  put_number(stream, 0, 2);
}

static const struct {
  const char *name, *path;
  int         rank;
  bool        whole;
} arrays[] = {{"positions.npy", "particles/all/position/value", 3, false},
              {"velocities.npy", "particles/all/velocity/value", 3, false},
              {"times.npy", "particles/all/position/time", 1, false},
              {"springs.npy", "connectivity/springs", 2, true},
              {"triangles.npy", "connectivity/triangles", 2, true}};

/* Array k with its header, whose length is a multiple of 64 bytes. In the arena; NULL if it cannot be read. */
static char *npy_of(const motion *m, size_t k, uint64_t offset, size_t *size)
{
  hsize_t     extents[SB_H5_RANK_MAX];
  SB_H5_ID    dataset = sb_h5_open_dataset(m->file, arrays[k].path, arrays[k].rank, extents);
  const char *shape = "", *number = arrays[k].whole ? "i8" : "f8";
  if (dataset < 0) return NULL;
  for (int i = 0; i < arrays[k].rank; ++i)
    shape = sb_arena_format(m->arena, "%s%llu, ", shape, (unsigned long long)extents[i]);
  const char *about =
      sb_arena_format(m->arena, "{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }", number, shape);
  const size_t head = (10 + strlen(about) + 1 + 63) / 64 * 64;
  if ((double)offset + 8 * (double)extents[0] * (double)extents[1] * (double)extents[2] > NPZ_BYTES_MAX) {
    sb_h5_refuse("an npz has at most 4 GB; read the case file itself, for example by h5py");
    return NULL;
  }
  *size = head + 8 * (size_t)(extents[0] * extents[1] * extents[2]);
  char *bytes = sb_arena_take(m->arena, *size, 1);
  memset(bytes, ' ', head);
  memcpy(bytes, "\x93NUMPY\1", 8); /* version 1.0 */
  bytes[8] = (char)(head - 10);
  bytes[9] = 0;
  memcpy(bytes + 10, about, strlen(about));
  bytes[head - 1] = '\n';
  const hid_t type = arrays[k].whole ? H5T_STD_I64LE : H5T_IEEE_F64LE;
  return *size == head || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes + head) >= 0 ? bytes : NULL;
}

static bool print_npz(FILE *stream, const motion *m, size_t frame)
{
  SB_OWNED char *directory = NULL;
  size_t         bytes = 0, count = 0, size = 0;
  uint64_t       offset = 0;
  bool           good = true;
  FILE          *entries = sb_insist(open_memstream(&directory, &bytes));
  (void)frame; /* it has all */
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays && good; ++k) {
    if (!sb_h5_exists(m->file, arrays[k].path)) continue; /* velocities */
    const char *array = npy_of(m, k, offset, &size), *name = arrays[k].name;
    if (!(good = array != NULL)) break;
    const uint32_t checksum = sb_crc32(array, size);
    fputs("PK\3\4", stream);
    put_member(stream, name, checksum, size);
    fputs(name, stream);
    fwrite(array, 1, size, stream);
    fputs("PK\1\2", entries);
    put_number(entries, 20, 2);
    put_member(entries, name, checksum, size);
    put_number(entries, 0, 6); /* comment, disk, attributes */
    put_number(entries, 0, 4);
    put_number(entries, offset, 4);
    fputs(name, entries);
    offset += 30 + strlen(name) + size;
    ++count;
  }
  fclose(entries);
  fwrite(directory, 1, bytes, stream);
  fputs("PK\5\6", stream);
  put_number(stream, 0, 4);
  put_number(stream, count, 2);
  put_number(stream, count, 2);
  put_number(stream, bytes, 4);
  put_number(stream, offset, 4);
  put_number(stream, 0, 2);
  return good;
}

/* ---- obj ---- */

/* Triangles, or the springs of a net without them; particles are vertices. Numbers are the shortest that read back. */
static bool print_obj(FILE *stream, const motion *m, size_t frame)
{
  const size_t     corners = m->triangles > 0 ? 3 : 2, cells = m->triangles > 0 ? m->triangles : m->springs;
  const int64_t   *corner = m->triangles > 0 ? m->triangle : m->spring;
  char             text[32];
  SB_OWNED double *place = sb_allocate(3 * (size_t)m->extents[1], sizeof *place);
  const bool       good = sb_h5_read_row(m->positions, 3, m->extents, frame, H5T_NATIVE_DOUBLE, place);
  fprintf(stream, "# t = %s s\n", sb_format_real(m->seconds[frame], text));
  for (size_t i = 0; i < 3 * m->extents[1]; ++i)
    fprintf(stream, "%s %s%s", i % 3 == 0 ? "v" : "", sb_format_real(place[i], text), i % 3 == 2 ? "\n" : "");
  for (size_t i = 0; i < corners * cells; ++i)
    fprintf(stream, "%s %lld%s",
            i % corners > 0 ? ""
            : corners == 3  ? "f"
                            : "l",
            (long long)corner[i] + 1, i % corners == corners - 1 ? "\n" : "");
  return good;
}

/* ---- files ---- */

typedef struct {
  const char *suffix;
  bool        sequence; /* a file per frame */
  bool (*print)(FILE *stream, const motion *m, size_t frame);
} form;
static const form forms[] = {{".obj", true, print_obj}, {".npz", false, print_npz}};

static const char *name_of(const motion *m, const form *f, const char *stem, size_t frame)
{
  return f->sequence ? sb_arena_format(m->arena, "%s_%04zu%s", stem, frame, f->suffix)
                     : sb_arena_format(m->arena, "%s%s", stem, f->suffix);
}

static const char *part_of(const motion *m, const char *name) { return sb_arena_format(m->arena, "%s.part", name); }

static bool fail_to_write(motion *m, const char *name)
{
  m->unwritten = true;
  return sb_storage_error("write", name, errno, 0);
}

static bool write_part(motion *m, const form *f, const char *name, size_t frame)
{
  const int  file = sb_create(part_of(m, name), 0);
  FILE      *stream = file >= 0 ? fdopen(file, "w") : NULL;
  const bool good = stream && f->print(stream, m, frame), written = stream && fflush(stream) == 0 && !ferror(stream);
  if (!written) (void)fail_to_write(m, name);
  if (stream) fclose(stream);
  return good && written;
}

/* All parts are written before the first gets its name. */
static bool write_files(motion *m, const form *f, const char *stem)
{
  const size_t count = f->sequence ? m->times : 1;
  const char **names = sb_arena_take(m->arena, count, sizeof *names), *next = name_of(m, f, stem, count);
  size_t       parts = 0, done = 0;
  bool         good = !f->sequence || access(next, F_OK) != 0;
  if (!good) sb_h5_refuse("%s is of a longer motion than this; remove it, or choose another name", next);
  while (good && parts < count) {
    names[parts] = name_of(m, f, stem, parts);
    good = write_part(m, f, names[parts], parts);
    ++parts;
  }
  for (; good && done < count; ++done)
    good = rename(part_of(m, names[done]), names[done]) == 0 || fail_to_write(m, names[done]);
  for (size_t k = 0; k < parts && !good; ++k) (void)unlink(part_of(m, names[k]));
  for (size_t k = 0; k < done && good; ++k) puts(names[k]);
  return good;
}

bool sb_export_motion(const char *path, const char *to, const char *name, char error[256])
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const form                             *f = &forms[0];
  while (strcmp(f->suffix + 1, to) != 0) ++f;
  const char  *end = strrchr(name, '.');
  const size_t cut = end && strcmp(end, f->suffix) == 0 ? (size_t)(end - name) : strlen(name);
  motion       m = {.arena = arena, .positions = -1, .file = sb_case_file_open(path, error)};
  const bool   good =
      m.file >= 0 && read_motion(&m) && write_files(&m, f, sb_arena_format(arena, "%.*s", (int)cut, name));
  sb_h5_close(m.positions);
  return sb_case_file_close(m.file, good || m.unwritten, error) && good;
}
