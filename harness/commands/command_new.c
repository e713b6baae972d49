/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command new: writes a commented sweep file that runs unchanged, for a user to edit. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/text.h"
#include "harness/commands/command.h"
#include "harness/report/report_text.h"
#include "harness/sweep/sweep.h"

/* NAME is replaced by the sweep's name. Each section has a table of its keys in docs/results.md. */
static const char template[] =
    "# A sweep for springbench. It runs unchanged; edit it for a question of your own.\n"
    "#   springbench check NAME.yaml   finds mistakes and names their lines\n"
    "#   springbench run NAME.yaml     runs what is missing, then writes results/NAME/report.html\n"
    "springbench: 1                # version of this format\n"
    "name: NAME                    # results are written to results/NAME\n"
    "question: How does the error of the energy grow with the time step, by integrator?\n"
    "driver: trajectory            # what is measured in each case: springbench list drivers\n"
    "timed: false                  # true: times are results, so cases run one after another\n"
    "\n"
    "# Options of every case: springbench list scenes oscillator, springbench list options\n"
    "defaults: {scene: oscillator, vertex_mass: 1, stiffness: 4, amplitude: 0.1, duration: 10}\n"
    "\n"
    "# Axes. A grid has a case for each combination of values, here 3 times 4; further blocks (- grid: …) add cases.\n"
    "sweep:\n"
    "  - grid:\n"
    "      integrator: [explicit_euler, symplectic_euler, velocity_verlet]\n"
    "      h: [0.1, 0.05, 0.025, 0.0125]\n"
    "quick: all                    # cases of `run --quick`; {h: [0.1, 0.05]} keeps these two steps alone\n"
    "\n"
    "# A table of one column per integrator. Cells are expressions of options and results (springbench list drivers).\n"
    "tables:\n"
    "  - id: energy\n"
    "    title: Largest error of the energy over that at the start\n"
    "    rows: h\n"
    "    columns: integrator\n"
    "    cell: energy_error_max / energy_start\n"
    "    label: relative error\n"
    "\n"
    "# A curve per integrator. Other kinds: scatter, bars, map, tiles, profile.\n"
    "figures:\n"
    "  - id: energy\n"
    "    title: Error of the energy of an oscillator\n"
    "    kind: curves\n"
    "    x: h\n"
    "    y: energy_error_max / energy_start\n"
    "    y_label: largest error of the energy over that at the start\n"
    "    logarithmic: xy\n"
    "    series: integrator\n"
    "\n"
    "# Claims are tested after each run: springbench verify results/NAME\n"
    "expect:\n"
    "  - claim: the error grows in proportion to the step under symplectic Euler\n"
    "    test: 0.9 < slope(log(energy_error_max), log(h)) < 1.1\n"
    "    where: integrator == symplectic_euler\n"
    "  - claim: the error grows with the square of the step under velocity Verlet\n"
    "    test: 1.9 < slope(log(energy_error_max), log(h)) < 2.1\n"
    "    where: integrator == velocity_verlet\n";

static const char *filled_in(const char *name, sb_arena *arena)
{
  const char *text = "";
  for (const char *rest = template, *place;; rest = place + strlen("NAME")) {
    place = strstr(rest, "NAME");
    if (!place) return sb_arena_format(arena, "%s%s", text, rest);
    text = sb_arena_format(arena, "%s%.*s%s", text, (int)(place - rest), rest, name);
  }
}

/* A sweep that comes with springbench as one of the user's own: its name, and no topic or findings. */
static const char *adapted(const char *path, const char *name, sb_arena *arena)
{
  SB_OWNED char  *text = sb_read_file(path, NULL);
  sb_arena_writer writer;
  FILE           *out = sb_arena_write(&writer, arena);
  fprintf(out, "# A copy of the sweep %s, which comes with springbench; edit it for a question of your own.\n",
          strrchr(path, '/') + 1);
  for (char *rest = NULL, *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
    const char *word = line + strspn(line, " ");
    if (strncmp(line, "topic:", 6) == 0 || strncmp(line, "core:", 5) == 0 || strncmp(word, "finding:", 8) == 0)
      continue;
    if (strncmp(line, "name:", 5) == 0)
      fprintf(out, "name: %s\n", name);
    else
      fprintf(out, "%s\n", line);
  }
  return sb_arena_text(&writer);
}

/* Creates the file; one that exists is left alone. */
static bool create_file(const char *path, const char *text, const sb_session *session)
{
  const int descriptor = sb_open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (descriptor < 0 && errno == EEXIST)
    return sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E109",
                       "the file exists and is left unchanged; choose another name");
  const bool good = descriptor >= 0 && sb_write_all(descriptor, text, strlen(text));
  const int  error = errno;
  if (descriptor >= 0) close(descriptor);
  return good || sb_storage_error("write", path, error, (double)strlen(text));
}

static const sb_command_option option_table[] = {
    {"driver", 0, "DRIVER", "start from the shortest sweep of this driver that comes with springbench", sb_take_text,
     .place = 0},
    {0},
};

static int run_new(int argc, char **argv, const sb_session *session)
{
  const char *driver = NULL;
  const char *path = *sb_command_read(argc, argv, session, &driver).names, *slash = strrchr(path, '/'),
             *name = slash ? slash + 1 : path;
  const size_t length = strlen(name), cut = length > 5 && strcmp(name + length - 5, ".yaml") == 0 ? 5 : 0;
  size_t       count;
  name = sb_arena_copy_span(session->arena, name, length - cut);
  path = sb_arena_format(session->arena, "%s%s", path, cut > 0 ? "" : ".yaml");
  if (!sb_text_is_safe_name(name)) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E109",
                "a sweep's name has letters, digits, '.', '_', '+', '-', at most 64; got '%s'", name);
    return SB_EXIT_USAGE;
  }
  if (strcmp(sb_sweeps_named(name, session->arena, &count)[0], name) != 0) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E109",
                "'%s' is a sweep or a topic that comes with springbench; choose another name", name);
    return SB_EXIT_USAGE;
  }
  const char *example = driver ? sb_sweeps_example(driver, session->arena) : NULL;
  if (driver && !example) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                "no sweep that comes with springbench has driver '%s'; `springbench list drivers` shows the drivers",
                driver);
    return SB_EXIT_USAGE;
  }
  const size_t before = sb_diagnostics_errors(session->diagnostics);
  const char  *text = example ? adapted(example, name, session->arena) : filled_in(name, session->arena);
  if (!create_file(path, text, session))
    return sb_diagnostics_errors(session->diagnostics) > before ? SB_EXIT_USAGE : SB_EXIT_STORAGE;
  printf("%s\n", path);
  sb_markdown_print(stderr, "springbench run " SB_AS_SHELL_WORD " runs its cases\n", path);
  return SB_EXIT_OK;
}

const sb_command sb_command_new = {.run = run_new,
                                   .options = option_table,
                                   .least = 1,
                                   .most = 1,
                                   .missing = "a NAME is missing",
                                   .surplus = "one NAME is enough"};
