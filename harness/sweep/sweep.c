/* Sweep files: reading the bytes, and the sections at the top. See sweep.h, and docs/results.md for the schema. */
#include "harness/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/quantity.h"
#include "harness/sweep/sweep_reader.h"

enum { FORMAT_READ = 1, REPETITIONS_MAX = 1000 };

static void read_driver(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  char *text = sb_read_option_value(r, node, SB_OPT_driver);
  if (text) *(char **)target = text;
}

static void read_repetitions(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  const char *scalar = sb_require_scalar(r, node, "repetitions");
  int64_t     count = 0;
  if (!scalar) return;
  if (sb_parse_integer(scalar, &count) && count >= 1 && count <= REPETITIONS_MAX)
    *(int *)target = (int)count;
  else
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E104",
                "'repetitions' is a whole number (allowed: [1,%d]); got '%s'", (int)REPETITIONS_MAX, scalar);
}

static void read_time_limit(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  const char *scalar = sb_require_scalar(r, node, "time");
  if (scalar && !sb_parse_duration(scalar, target))
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102",
                "'time' is a duration such as 90s, 2m, 1h; "
                "got '%s'",
                scalar);
}

static void read_memory_limit(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  const char *scalar = sb_require_scalar(r, node, "memory");
  if (scalar && !sb_parse_bytes(scalar, target))
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102",
                "'memory' is a size such as 512M, 4G; "
                "got '%s'",
                scalar);
}

static void read_limits(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"time", SB_FIELD_OTHER, false, offsetof(sb_sweep, time_limit_seconds), read_time_limit},
      {"memory", SB_FIELD_OTHER, false, offsetof(sb_sweep, memory_limit_bytes), read_memory_limit},
  };
  sb_read_fields(r, node, "'limits'", fields, sizeof fields / sizeof *fields, target);
}

static void read_defaults(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_read_settings(r, node, target);
}

static void read_nothing(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  (void)r;
  (void)node;
  (void)target;
}

/* In this order, whatever the file's: axes name methods, and expressions the columns of the driver. */
static const sb_sweep_field sections[] = {
    {"springbench", SB_FIELD_OTHER, true, 0, read_nothing},
    {"name", SB_FIELD_NAME, true, offsetof(sb_sweep, name), NULL},
    {"topic", SB_FIELD_TEXT, false, offsetof(sb_sweep, topic), NULL},
    {"question", SB_FIELD_TEXT, false, offsetof(sb_sweep, question), NULL},
    {"source", SB_FIELD_TEXT, false, offsetof(sb_sweep, source), NULL},
    {"driver", SB_FIELD_OTHER, false, offsetof(sb_sweep, driver), read_driver},
    {"timed", SB_FIELD_FLAG, false, offsetof(sb_sweep, timed), NULL},
    {"repetitions", SB_FIELD_OTHER, false, offsetof(sb_sweep, repetitions), read_repetitions},
    {"limits", SB_FIELD_OTHER, false, 0, read_limits},
    {"defaults", SB_FIELD_OTHER, false, offsetof(sb_sweep, defaults), read_defaults},
    {"methods", SB_FIELD_OTHER, false, 0, sb_read_methods},
    {"words", SB_FIELD_OTHER, false, 0, sb_read_words},
    {"sweep", SB_FIELD_OTHER, false, 0, sb_read_blocks},
    {"exclude", SB_FIELD_OTHER, false, 0, sb_read_exclusions},
    {"tables", SB_FIELD_OTHER, false, 0, sb_read_tables},
    {"figures", SB_FIELD_OTHER, false, 0, sb_read_figures},
    {"animations", SB_FIELD_OTHER, false, 0, sb_read_animations},
    {"expect", SB_FIELD_OTHER, false, 0, sb_read_claims},
};

/* A file of another format is not looked at further. */
static bool check_format(sb_sweep_reader *r, const yaml_node_t *root)
{
  const yaml_node_t *node = sb_yaml_find(&r->yaml, root, "springbench");
  if (!node) return true; /* reported as missing with all the rest */
  const char *scalar = sb_require_scalar(r, node, "springbench");
  int64_t     format = 0;
  if (!scalar) return false;
  if (sb_parse_integer(scalar, &format) && format == FORMAT_READ) return true;
  return sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E113",
                     "a sweep file of format '%s'; this springbench reads format %d", scalar, (int)FORMAT_READ);
}

static void read_document(sb_sweep_reader *r)
{
  const yaml_node_t *root = sb_yaml_root(&r->yaml);
  if (!sb_require_mapping(r, root, "a sweep file") || !check_format(r, root)) return;
  sb_read_fields(r, root, "a sweep file", sections, sizeof sections / sizeof *sections, r->sweep);
  sb_check_words(r);
  if (!r->sweep->driver) r->sweep->driver = sb_copy_text(sb_option_at(SB_OPT_driver)->preset);
}

static void end_sweep(void *object)
{
  sb_sweep *sweep = object;
  sb_sweep_destroy(&sweep);
}

static sb_sweep *new_sweep(const char *text, size_t length, const char *name)
{
  sb_sweep *sweep = sb_allocate(1, sizeof *sweep);
  sweep->arena = sb_arena_create();
  sweep->path = sb_copy_text(name);
  sweep->text = sb_copy_span(text, length);
  sweep->timed = true;
  sweep->repetitions = 1;
  return sweep;
}

sb_sweep *sb_sweep_parse(const char *text, size_t length, const char *name, const sb_session *session)
{
  sb_diagnostics *own = session->diagnostics ? NULL : sb_diagnostics_create();
  sb_diagnostics *d = own ? own : session->diagnostics;
  sb_sweep       *sweep = new_sweep(text, length, name);
  sb_sweep_reader r = {.sweep = sweep, .session = session, .vocabulary = session->vocabulary, .diagnostics = d};
  const size_t    before = sb_diagnostics_errors(d);
  sb_arena_defer(session->arena, end_sweep, sweep);
  r.yaml = (sb_yaml){.file = sweep->path, .diagnostics = d};
  const bool loaded = sb_yaml_load(&r.yaml, text, length);
  if (loaded) r.scratch = sb_options_create(session->vocabulary);
  if (loaded && !r.scratch) sb_error_at(d, (sb_location){name, 0, 0}, "E100", "out of memory");
  if (r.scratch) read_document(&r);
  sb_yaml_clear(&r.yaml);
  if (sb_diagnostics_errors(d) > before) sweep = NULL;
  if (r.scratch) sb_options_destroy(&r.scratch);
  sb_diagnostics_destroy(&own);
  return sweep;
}

static bool cannot_read(const char *path, const char *why, sb_diagnostics *diagnostics)
{
  return sb_error_at(diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", why);
}

/* A regular file of 1 byte to 1 MiB. Opened without waiting, so that a FIFO is refused and not waited for. */
static bool open_file(const char *path, FILE **file, size_t *size, sb_diagnostics *diagnostics)
{
  struct stat status;
  const int   descriptor = sb_open(path, O_RDONLY | O_NONBLOCK);
  if (descriptor < 0) return cannot_read(path, strerror(errno), diagnostics);
  const char *why = NULL;
  if (fstat(descriptor, &status) != 0)
    why = strerror(errno);
  else if (S_ISDIR(status.st_mode))
    why = strerror(EISDIR);
  else if (!S_ISREG(status.st_mode))
    why = "not a regular file";
  else if (status.st_size == 0)
    why = "the file is empty";
  else if (status.st_size > SB_YAML_BYTES_MAX)
    why = "larger than a sweep file may be (1 MiB)";
  *file = why ? NULL : fdopen(descriptor, "r");
  if (!why && !*file) why = strerror(errno);
  if (!why) {
    *size = (size_t)status.st_size;
    return true;
  }
  close(descriptor);
  return cannot_read(path, why, diagnostics);
}

sb_sweep *sb_sweep_read(const char *path, const sb_session *session)
{
  FILE  *file = NULL;
  size_t size = 0;
  if (!open_file(path, &file, &size, session->diagnostics)) return NULL;
  char        *text = sb_allocate(size + 1, 1);
  const size_t length = fread(text, 1, size, file);
  const bool   good = !ferror(file);
  fclose(file);
  sb_sweep *sweep = good ? sb_sweep_parse(text, length, path, session) : NULL;
  if (!good) cannot_read(path, strerror(EIO), session->diagnostics);
  free(text);
  return sweep;
}
