/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `springbench animate FILE.h5|DIR/KEY|DIR [ID]`: a stored motion as an animated GIF and a strip of stills, or as a
 * page that plays one motion or two side by side; for a results directory, the animations of its sweep. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "cases/common/durable.h"
#include "harness/commands/command.h"
#include "harness/report/report.h"

typedef struct {
  const char  *what, *id, *output;                 /* id: of an animation, or a second motion */
  bool         strip_only, gif_only, page, shaped; /* shaped: an option sets its look */
  double       view[2], size[2];                   /* TILT and TURN; W and H, 0: the usual ones */
  sb_animation wanted;
} request;

/* "560x480": two numbers with `between` between them. */
static bool read_pair(const char *text, char between, const double low[2], const double high[2], double pair[2])
{
  const char    *cut = strchr(text, between);
  SB_OWNED char *first = sb_copy_span(text, cut ? (size_t)(cut - text) : 0);
  return cut && sb_parse_real(first, &pair[0]) && sb_parse_real(cut + 1, &pair[1]) && pair[0] >= low[0] &&
         pair[0] <= high[0] && pair[1] >= low[1] && pair[1] <= high[1];
}

static bool read_view(const char *text, double *pair)
{
  return read_pair(text, ',', (double[]){0, 0}, (double[]){180, 360}, pair);
}

static bool read_size(const char *text, double *pair)
{
  return read_pair(text, 'x', (double[]){64, 64}, (double[]){4096, 4096}, pair);
}

static void take_output(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  if (!*text) argp_error(state, "-%c takes a file; got ''", option->letter);
  *(const char **)place = text;
}

static bool read_positive(const char *text, double *value) { return sb_parse_real(text, value) && *value > 0; }

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
    {"view", 0, "TILT,TURN", "degrees: 0 from above to 90 level; about the vertical (default: 72,32)", sb_take_parsed,
     .place = offsetof(request, view), .parse = read_view,
     .hint = "TILT,TURN with TILT in [0,180] and TURN in [0,360] degrees"},
    {"size", 0, "WxH", "pixels of a frame (default: 560x480, fewer if particles need fewer)", sb_take_parsed,
     .place = offsetof(request, size), .parse = read_size, .hint = "WxH with 64 to 4096 pixels each"},
    {0},
};

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
  return sb_animations_write(results, r->id, stdout);
}

/* ".gif" of "x.gif"; "" of "x" */
static const char *suffix_of(const char *path)
{
  const char *point = strrchr(path, '.');
  return point && point > path ? point : "";
}

/* "x.gif" or "x" -> "x" + suffix */
static char *with_suffix(sb_arena *arena, const char *path, const char *suffix)
{
  const char  *has = suffix_of(path);
  const size_t cut = sb_has_word(".gif .png .html .h5", has) ? strlen(has) : 0;
  return sb_arena_format(arena, "%.*s%s", (int)(strlen(path) - cut), path, suffix);
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
  struct stat about;
  bool        drawn = false;
  request     r = {.view = {NAN, NAN}};
  r.wanted.look.stills = 6;
  const sb_command_words words = sb_command_read(argc, argv, session, &r);
  r.wanted.look.tilt = r.view[0];
  r.wanted.look.turn = r.view[1];
  r.wanted.cut = r.size[0] == 0;
  r.wanted.width = r.wanted.cut ? 560 : (int)r.size[0];
  r.wanted.height = r.wanted.cut ? 480 : (int)r.size[1];
  r.what = words.names[0];
  r.id = words.count > 1 ? words.names[1] : NULL;
  r.shaped = *words.options != '\0';
  r.page = r.page || (r.output && strcmp(suffix_of(r.output), ".html") == 0);
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

const sb_command sb_command_animate = {.run = run_animate, .options = options, .least = 1, .most = 2};
