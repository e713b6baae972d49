/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For adapters of simulators in C99 and C++ without other dependencies: reads the net and the options that driver
 * `external` of springbench leaves in the working folder, and writes frames (docs/library.md, "Simulators").
 *
 *   sb_net net = sb_net_read("iterations solver");            // words of simulator_options
 *   sb_net_run(&net, step, read, engine);
 * A fault ends the process with status 1 and a line on stderr. The machine has to be little-endian. */
#ifndef SPRINGBENCH_SIMULATOR_H
#define SPRINGBENCH_SIMULATOR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

typedef struct {
  long           vertices, springs, triangles;
  double        *position, *velocity; /* [vertices][3], m and m/s */
  double        *mass;                /* kg */
  unsigned char *pinned;              /* 1: this vertex stays */
  int           *ends;                /* [springs][2] */
  double        *stiffness;           /* N/m */
  double        *rest_length;         /* m */
  int           *triangle;            /* [triangles][3] */
  double         h;                   /* s */
  long           steps_per_frame, frames;
  const char    *options; /* JSON: the options that the description maps */
  const char    *own;     /* text of simulator_options */
} sb_net;

typedef void sb_net_step(void *engine);                        /* makes one step of h */
typedef void sb_net_state(void *engine, double *x, double *v); /* fills in [vertices][3] */

/* Ends the process: the simulator cannot do what the case asks for. */
static inline void sb_net_refuse(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  exit(1);
}

/* The whole file, with a 0 behind it. */
static inline char *sb_net_file(const char *name, long *bytes)
{
  FILE *file = fopen(name, "rb");
  long  size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  char *content = size >= 0 ? (char *)calloc((size_t)size + 1, 1) : NULL;
  if (!content || fseek(file, 0, SEEK_SET) || fread(content, 1, (size_t)size, file) != (size_t)size)
    sb_net_refuse("cannot read %s", name);
  fclose(file);
  *bytes = size;
  return content;
}

/* The value of a member of a JSON object, for valid JSON; NULL: there is none. */
static inline const char *sb_net_member(const char *object, const char *name)
{
  int    depth = 0;
  size_t length = strlen(name);
  for (const char *c = object; c && *c; ++c) {
    if (*c == '{' || *c == '[') ++depth;
    if (*c == '}' || *c == ']') --depth;
    if (depth == 0) return NULL;
    if (*c != '"') continue;
    const char *word = ++c;
    while (*c && *c != '"') c += *c == '\\' ? 2 : 1;
    if (depth > 1 || (size_t)(c - word) != length || strncmp(word, name, length) != 0) continue;
    const char *colon = c + 1 + strspn(c + 1, " \t\r\n");
    if (*colon == ':') return colon + 1 + strspn(colon + 1, " \t\r\n");
  }
  return NULL;
}

/* A copy of a JSON string, in which a backslash stands for the character after it. */
static inline char *sb_net_text(const char *value)
{
  char *copy = (char *)calloc(value ? strlen(value) + 1 : 1, 1), *end = copy;
  for (const char *c = value && *value == '"' ? value + 1 : ""; *c && *c != '"'; ++c) {
    if (*c == '\\') ++c;
    *end++ = *c;
  }
  return copy;
}

/* A number of a JSON object such as net->options, or `preset` if it has none. */
static inline double sb_net_number(const char *object, const char *name, double preset)
{
  const char *value = sb_net_member(object, name);
  return value ? strtod(value, NULL) : preset;
}

/* The same for a vector; 0 if there is none. */
static inline void sb_net_vector(const char *object, const char *name, double vector[3])
{
  const char *value = sb_net_member(object, name);
  for (int d = 0; d < 3; ++d) {
    char *end = NULL;
    vector[d] = value ? strtod(value + 1 + strspn(value + 1, " \t\r\n,"), &end) : 0;
    if (end) value = end - 1 + strspn(end, " \t\r\n");
  }
}

/* The word behind `name=` in simulator_options: its address and length; NULL: it is not there. */
static inline const char *sb_net_own(const sb_net *net, const char *name, size_t *length)
{
  const size_t n = strlen(name);
  for (const char *c = net->own + strspn(net->own, " "); *c; c += strspn(c, " ")) {
    *length = strcspn(c, " ");
    if (*length > n && strncmp(c, name, n) == 0 && c[n] == '=') {
      *length -= n + 1;
      return c + n + 1;
    }
    c += *length;
  }
  return NULL;
}

static inline double sb_net_own_number(const sb_net *net, const char *name, double preset)
{
  size_t      length = 0;
  const char *word = sb_net_own(net, name, &length);
  char       *end = NULL;
  double      value = word ? strtod(word, &end) : preset;
  if (word && (length == 0 || end != word + length)) sb_net_refuse("simulator option '%s' needs a number", name);
  return value;
}

static inline void *sb_net_array(const char *arrays, const char *name, size_t width, long *count)
{
  long  bytes;
  void *values = sb_net_file(sb_net_text(sb_net_member(sb_net_member(arrays, name), "file")), &bytes);
  *count = bytes / (long)width;
  return values;
}

/* `words`: names that simulator_options may have. */
static inline sb_net sb_net_read(const char *words)
{
  sb_net      net;
  long        bytes;
  const char *arrays = sb_net_member(sb_net_file("net.json", &bytes), "arrays");
  const char *given = sb_net_file("options.json", &bytes);
  net.position = (double *)sb_net_array(arrays, "position", 24, &net.vertices);
  net.velocity = (double *)sb_net_array(arrays, "velocity", 24, &net.vertices);
  net.mass = (double *)sb_net_array(arrays, "mass", 8, &net.vertices);
  net.pinned = (unsigned char *)sb_net_array(arrays, "pinned", 1, &net.vertices);
  net.ends = (int *)sb_net_array(arrays, "ends", 8, &net.springs);
  net.stiffness = (double *)sb_net_array(arrays, "stiffness", 8, &net.springs);
  net.rest_length = (double *)sb_net_array(arrays, "rest_length", 8, &net.springs);
  net.triangle = (int *)sb_net_array(arrays, "triangle", 12, &net.triangles);
  net.h = sb_net_number(given, "h", 0);
  net.steps_per_frame = (long)sb_net_number(given, "steps_per_frame", 0);
  net.frames = (long)sb_net_number(given, "frames", 0);
  net.options = sb_net_member(given, "options");
  net.own = sb_net_text(sb_net_member(given, "simulator_options"));
  for (const char *c = net.own + strspn(net.own, " "); *c; c += strcspn(c, " "), c += strspn(c, " ")) {
    const size_t length = strcspn(c, "= ");
    const char  *known = words + strspn(words, " ");
    while (*known && (strcspn(known, " ") != length || strncmp(known, c, length) != 0))
      for (known += strcspn(known, " "); *known == ' ';) ++known;
    if (!*known) sb_net_refuse("unknown simulator option '%.*s'; there are: %s", (int)length, c, words);
  }
  return net;
}

static inline double sb_net_seconds(void)
{
  struct timeval t;
  gettimeofday(&t, NULL);
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* Makes the steps and writes the frames. Only the steps count as the simulator's own time. */
static inline void sb_net_run(const sb_net *net, sb_net_step *step, sb_net_state *read, void *engine)
{
  const size_t values = 3 * (size_t)net->vertices, steps = (size_t)(net->frames * net->steps_per_frame);
  double      *state = (double *)calloc(2 * values + 1, sizeof(double)), seconds = 0;
  FILE        *x = fopen("frames.f64", "wb"), *v = fopen("velocities.f64", "wb"), *said = fopen("frames.json", "wb");
  if (!state || !x || !v || !said) sb_net_refuse("cannot write frames");
  fputs("{\"times\": [", said);
  for (long frame = 0; frame <= net->frames; ++frame) {
    const double began = sb_net_seconds();
    for (long k = 0; frame > 0 && k < net->steps_per_frame; ++k) step(engine);
    seconds += sb_net_seconds() - began;
    read(engine, state, state + values);
    if (fwrite(state, 8, values, x) != values || fwrite(state + values, 8, values, v) != values)
      sb_net_refuse("cannot write frame %ld", frame);
    fprintf(said, "%s%.17g", frame ? ", " : "", (double)(frame * net->steps_per_frame) * net->h);
  }
  fprintf(said, "], \"seconds_per_step\": %.9g}\n", steps > 0 && seconds > 0 ? seconds / (double)steps : 1e-9);
  if (fclose(x) || fclose(v) || fclose(said)) sb_net_refuse("cannot write frames");
  free(state);
}

#endif
