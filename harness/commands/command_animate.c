/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `springbench animate FILE.h5|DIR/KEY|DIR [ID]`: a stored motion as an animated GIF and a strip of stills, or as a
 * page that plays one motion or two side by side; for a results directory, the animations of its sweep. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/commands/command.h"
#include "harness/report/report.h"
#include "harness/results/shown.h"

typedef struct {
  const sb_session *session;
  const char       *what, *id, *output;                 /* id: of an animation, or a second motion */
  bool              strip_only, gif_only, page, shaped; /* shaped: an option sets its look */
  sb_animation      wanted;
} request;

/* "560x480" with a number from low to high on either side of `between`. */
static bool read_pair(sb_arena *arena, const char *text, char between, const double low[2], const double high[2],
                      double pair[2])
{
  char *copy = sb_arena_copy(arena, text), *cut = strchr(copy, between);
  if (cut) *cut = '\0';
  return cut && sb_parse_real(copy, &pair[0]) && sb_parse_real(cut + 1, &pair[1]) && pair[0] >= low[0] &&
         pair[0] <= high[0] && pair[1] >= low[1] && pair[1] <= high[1];
}

static void take_output(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  if (!*text) argp_error(state, "-%c takes a file; got ''", option->letter);
  *(const char **)place = text;
}

static bool read_positive(const char *text, double *value) { return sb_parse_real(text, value) && *value > 0; }

static void take_view(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  request *r = place;
  double   pair[2] = {0, 0};
  if (!read_pair(r->session->arena, text, ',', (double[]){0, 0}, (double[]){180, 360}, pair))
    argp_error(state, "--%s takes TILT,TURN with TILT in [0,180] and TURN in [0,360] degrees; got '%s'", option->name,
               text);
  r->wanted.look.tilt = pair[0];
  r->wanted.look.turn = pair[1];
}

static void take_size(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  request *r = place;
  double   pair[2] = {0, 0};
  if (!read_pair(r->session->arena, text, 'x', (double[]){64, 64}, (double[]){4096, 4096}, pair))
    argp_error(state, "--%s takes WxH with 64 to 4096 pixels each; got '%s'", option->name, text);
  r->wanted.width = (int)pair[0];
  r->wanted.height = (int)pair[1];
  r->wanted.cut = false;
}

static const sb_command_option options[] = {
    {"output", 'o', "FILE",
     "the GIF; the strip is beside it as .png (default: DIR/animations/KEY.gif, FILE.gif); FILE.html: a page",
     take_output, .place = offsetof(request, output)},
    {"gif", 0, NULL, "the GIF alone", sb_take_flag, .place = offsetof(request, gif_only)},
    {"strip", 0, NULL, "draw only the strip of stills", sb_take_flag, .place = offsetof(request, strip_only)},
    {"html", 0, NULL, "a page that turns, zooms and plays the motion; with a second case, both in step", sb_take_flag,
     .place = offsetof(request, page)},
    {"colour", 0, "plain|strain|pressure", "meaning of colours (default: plain)", sb_take_choice,
     .place = offsetof(request, wanted.look.colour),
     .choices = (const char *const[]){"plain", "strain", "pressure", NULL}},
    {"frames", 0, "N", "largest number of frames of the film (default: 101, of a page 301)", sb_take_whole,
     .place = offsetof(request, wanted.look.frames), .low = 1, .high = 100000},
    {"stills", 0, "N", "stills of the strip (default: 6)", sb_take_whole,
     .place = offsetof(request, wanted.look.stills), .low = 1, .high = 100000},
    {"seconds", 0, "S", "length of the film (default: that of the motion, between 2 and 20)", sb_take_parsed,
     .place = offsetof(request, wanted.look.seconds), .parse = read_positive, .hint = "a positive number"},
    {"view", 0, "TILT,TURN", "degrees: 0 from above to 90 level; about the vertical (default: 72,32)", take_view,
     .place = 0},
    {"size", 0, "WxH", "pixels of a frame (default: 560x480, fewer if particles need fewer)", take_size, .place = 0},
    {0},
};

static error_t parse_names(int key, char *text, struct argp_state *state)
{
  request *r = state->input;
  if ((key == ARGP_KEY_ARG && r->id) || (key == ARGP_KEY_END && !r->what)) argp_usage(state);
  if (key == ARGP_KEY_ARG) *(r->what ? &r->id : &r->what) = text;
  return 0;
}

/* The animations of the sweep. The sweep sets their look, so every run makes the same ones. */
static bool draw_those_of_sweep(const request *r, const sb_session *session)
{
  const sb_location where = {r->what, 0, 0};
  if (r->shaped)
    return sb_error_at(session->diagnostics, where, "E106",
                       "the sweep file defines its animations; options cannot change them");
  const sb_results *results = sb_results_open(r->what, session);
  if (!results) return false;
  if (results->sweep->animation_count == 0 && !r->id)
    sb_warning_at(session->diagnostics, where, "W117", "its sweep has no animations");
  return sb_animations_write(sb_results_shown(results), r->id, stdout);
}

static bool ends_in(const char *path, const char *suffix)
{
  const size_t length = strlen(path), end = strlen(suffix);
  return length > end && strcmp(path + length - end, suffix) == 0;
}

/* "x.gif" or "x" -> "x" + suffix */
static char *with_suffix(sb_arena *arena, const char *path, const char *suffix)
{
  static const char *const cut[] = {".gif", ".png", ".html", ".h5"};
  size_t                   length = strlen(path);
  for (size_t i = 0; i < sizeof cut / sizeof *cut; ++i)
    if (ends_in(path, cut[i])) length = strlen(path) - strlen(cut[i]);
  return sb_arena_format(arena, "%.*s%s", (int)length, path, suffix);
}

/* One motion, or two side by side. Each may be a case of a results directory. */
static bool write_page(const request *r, const sb_session *session, const char *path, const char *first)
{
  const char *other = NULL, *second = r->id ? sb_command_case_file(r->id, session, &other) : NULL;
  if (r->id && !second) return false;
  const sb_player_motion motions[] = {{first, ""}, {second, ""}};
  if (!sb_player_write(session, path, &(sb_player){NULL, r->id ? 2 : 1, motions, &r->wanted.look})) return false;
  puts(path);
  return true;
}

/* A case of a results directory gets its pictures in DIR/animations, a file beside it. */
static bool draw_case(request *r, const sb_session *session)
{
  sb_arena   *arena = session->arena;
  const char *directory = NULL, *path = sb_command_case_file(r->what, session, &directory), *stem = path;
  if (!path) return false;
  if (r->output)
    stem = r->output;
  else if (directory) {
    if (!sb_make_folder(directory, "animations")) return false;
    stem = sb_arena_format(arena, "%s/animations%s", directory, strrchr(path, '/'));
  }
  if (r->page) return write_page(r, session, with_suffix(arena, stem, ".html"), path);
  if (!r->strip_only) r->wanted.gif = with_suffix(arena, stem, ".gif");
  if (!r->gif_only) r->wanted.strip = with_suffix(arena, stem, ".png");
  /* gnuplot would write through a link, or into a file that has another name. */
  if (!r->output && r->wanted.gif) unlink(r->wanted.gif);
  if (!r->output && r->wanted.strip) unlink(r->wanted.strip);
  if (!sb_animate(session, path, &r->wanted)) return false;
  if (r->wanted.gif) puts(r->wanted.gif);
  if (r->wanted.strip) puts(r->wanted.strip);
  return true;
}

static int run_animate(int argc, char **argv, const sb_session *session)
{
  struct stat     about;
  sb_arena_writer writer;
  bool            drawn = false;
  request         r = {.session = session, .wanted = {.width = 560, .height = 480, .cut = true}};
  r.wanted.look = (sb_animation_spec){.stills = 6, .tilt = NAN, .turn = NAN};
  FILE *given = sb_arena_write(&writer, session->arena);
  sb_command_parse(&sb_command_animate, &(sb_command_line){options, parse_names, &r, given}, argc, argv);
  r.shaped = *sb_arena_text(&writer) != '\0';
  r.page = r.page || (r.output && ends_in(r.output, ".html"));
  if (r.wanted.look.frames == 0) r.wanted.look.frames = r.page ? 301 : 101;
  if (stat(r.what, &about) == 0 && S_ISDIR(about.st_mode))
    drawn = draw_those_of_sweep(&r, session);
  else if (r.id && !r.page)
    sb_error_at(session->diagnostics, (sb_location){r.what, 0, 0}, "E106",
                "it is not a results directory, so it has no animation '%s'; two motions need -o FILE.html", r.id);
  else
    drawn = draw_case(&r, session);
  return drawn ? SB_EXIT_OK : SB_EXIT_USAGE;
}

const sb_command sb_command_animate = {.run = run_animate};
