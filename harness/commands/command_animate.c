/* `springbench animate FILE.h5|DIR/KEY|DIR [ID]`: a stored motion as an animated GIF and a strip of stills; of a
 * results directory, the animations that its sweep asks for, made again. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "base/number.h"
#include "harness/commands/command.h"
#include "harness/report/animation.h"
#include "harness/store/journal.h"

typedef struct {
  const char  *what, *id, *output;
  bool         strip_only, gif_only, shaped; /* shaped: an option says how it looks */
  sb_animation wanted;
} request;

enum { GIF_ONLY = 256, STRIP_ONLY, COLOUR, FRAMES, STILLS, SECONDS, VIEW, SIZE };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "the GIF; the strip stands beside it as .png (default: DIR/animations/KEY.gif, FILE.gif)", 0},
    {"gif", GIF_ONLY, NULL, 0, "the GIF alone", 0},
    {"strip", STRIP_ONLY, NULL, 0, "the strip of stills alone", 0},
    {"colour", COLOUR, "plain|strain", 0, "what colours mean (default: plain)", 0},
    {"frames", FRAMES, "N", 0, "frames of the GIF at most (default: 101)", 0},
    {"stills", STILLS, "N", 0, "stills of the strip (default: 6)", 0},
    {"seconds", SECONDS, "S", 0, "length of the film (default: the motion's own, within 2 and 20)", 0},
    {"view", VIEW, "TILT,TURN", 0, "degrees: 0 from above to 90 level; about the vertical (default: 72,32)", 0},
    {"size", SIZE, "WxH", 0, "pixels of a frame (default: 560x480)", 0},
    {0},
};

static bool read_pair(const char *text, char between, double pair[2])
{
  char *copy = sb_copy_text(text), *cut = strchr(copy, between);
  if (cut) *cut = '\0';
  const bool good = cut && sb_parse_real(copy, &pair[0]) && sb_parse_real(cut + 1, &pair[1]);
  free(copy);
  return good;
}

static void read_count(struct argp_state *state, const char *name, const char *text, size_t *count)
{
  int64_t number = 0;
  if (!sb_parse_integer(text, &number) || number < 1 || number > 100000)
    argp_error(state, "--%s takes a whole number from 1 to 100000; got '%s'", name, text);
  else
    *count = (size_t)number;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  request      *r = state->input;
  sb_animation *wanted = &r->wanted;
  double        pair[2] = {0, 0};
  r->shaped = r->shaped || key == 'o' || (key >= GIF_ONLY && key <= SIZE);
  switch (key) {
  case 'o':
    if (!*text) argp_error(state, "-o takes a file; got ''");
    r->output = text;
    break;
  case GIF_ONLY:
    r->gif_only = true;
    break;
  case STRIP_ONLY:
    r->strip_only = true;
    break;
  case COLOUR:
    wanted->strain = strcmp(text, "strain") == 0;
    if (!wanted->strain && strcmp(text, "plain") != 0) argp_error(state, "--colour is plain or strain; got '%s'", text);
    break;
  case FRAMES:
    read_count(state, "frames", text, &wanted->frames_max);
    break;
  case STILLS:
    read_count(state, "stills", text, &wanted->stills);
    break;
  case SECONDS:
    if (!sb_parse_real(text, &wanted->seconds) || !(wanted->seconds > 0))
      argp_error(state, "--seconds takes a positive number; got '%s'", text);
    break;
  case VIEW:
    if (!read_pair(text, ',', pair) || !(pair[0] >= 0 && pair[0] <= 180 && pair[1] >= 0 && pair[1] <= 360))
      argp_error(state, "--view takes TILT,TURN with TILT in [0,180] and TURN in [0,360] degrees; got '%s'", text);
    wanted->tilt = pair[0];
    wanted->turn = pair[1];
    break;
  case SIZE:
    if (!read_pair(text, 'x', pair) || !(pair[0] >= 64 && pair[0] <= 4096 && pair[1] >= 64 && pair[1] <= 4096))
      argp_error(state, "--size takes WxH with 64 to 4096 pixels each; got '%s'", text);
    wanted->width = (int)pair[0];
    wanted->height = (int)pair[1];
    break;
  case ARGP_KEY_ARG:
    if (r->id) argp_usage(state);
    *(r->what ? &r->id : &r->what) = text;
    break;
  case ARGP_KEY_END:
    if (!r->what) argp_usage(state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

/* "x.gif" or "x" -> "x" + suffix */
static char *with_suffix(sb_arena *arena, const char *path, const char *suffix)
{
  const char *end = strrchr(path, '.');
  const bool  cut =
      end && end > path && (strcmp(end, ".gif") == 0 || strcmp(end, ".png") == 0 || strcmp(end, ".h5") == 0);
  return sb_arena_format(arena, "%.*s%s", (int)(cut ? (size_t)(end - path) : strlen(path)), path, suffix);
}

static bool draw(request *r, const char *path, const char *stem, const sb_session *session)
{
  char error[256] = "";
  if (!r->strip_only) r->wanted.gif = with_suffix(session->arena, stem, ".gif");
  if (!r->gif_only) r->wanted.strip = with_suffix(session->arena, stem, ".png");
  if (!sb_published_file_is_whole(path, error))
    return sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "%s", error);
  if (!sb_animate(session, path, &r->wanted)) return false;
  if (r->wanted.gif) puts(r->wanted.gif);
  if (r->wanted.strip) puts(r->wanted.strip);
  return true;
}

/* The case of a results directory, its checksum looked at first; pictures go to DIR/animations. */
static bool draw_case(request *r, const char *directory, const char *key, const sb_session *session)
{
  char        error[256] = "";
  sb_results *results = sb_results_open(directory, session);
  if (!results) return false;
  const char *path = sb_arena_adopt(session->arena, sb_results_case_path(results, key));
  const char *folder = sb_arena_format(session->arena, "%s/animations", directory);
  if (!sb_results_case_is_whole(results, key, error))
    return sb_error_at(session->diagnostics, (sb_location){0}, "E100", "%s", error);
  if (!r->output && mkdir(folder, 0777) != 0 && errno != EEXIST)
    return sb_error_at(session->diagnostics, (sb_location){folder, 0, 0}, "E100", "cannot be made: %s",
                       strerror(errno));
  return draw(r, path, r->output ? r->output : sb_arena_format(session->arena, "%s/%s", folder, key), session);
}

/* The sweep says how these look, so that it is the same whenever they are made. */
static bool draw_those_of_sweep(const request *r, const sb_session *session)
{
  if (r->shaped)
    return sb_error_at(session->diagnostics, (sb_location){r->what, 0, 0}, "E106",
                       "how the animations of a sweep look stands in the sweep; no option changes it");
  sb_results *results = sb_results_open(r->what, session);
  if (!results) return false;
  if (results->sweep->animation_count == 0 && !r->id)
    sb_warning_at(session->diagnostics, (sb_location){r->what, 0, 0}, "W117", "its sweep has no animations");
  return sb_animations_write(results, r->id, NULL, stdout);
}

static bool draw_what(request *r, const sb_session *session)
{
  const sb_location where = {r->what, 0, 0};
  char             *directory = NULL, *key = NULL;
  struct stat       about;
  const bool        there = stat(r->what, &about) == 0;
  if (there && S_ISDIR(about.st_mode)) return draw_those_of_sweep(r, session);
  if (r->id)
    return sb_error_at(session->diagnostics, where, "E106",
                       "it is no results directory, whose animation '%s' could be drawn", r->id);
  if (there) return draw(r, r->what, r->output ? r->output : r->what, session);
  if (!sb_command_split_key(r->what, &directory, &key))
    return sb_error_at(session->diagnostics, where, "E100",
                       "it is neither a case file nor DIR/KEY nor a results directory");
  return draw_case(r, sb_arena_adopt(session->arena, directory), sb_arena_adopt(session->arena, key), session);
}

static int run_animate(int argc, char **argv, const sb_session *session)
{
  static const struct argp argp = {options,
                                   parse,
                                   "FILE.h5|DIR/KEY|DIR [ID]",
                                   "A stored motion as an animated GIF and a strip of stills (PNG).",
                                   NULL,
                                   NULL,
                                   NULL};
  request r = {.wanted = {.frames_max = 101, .stills = 6, .tilt = NAN, .turn = NAN, .width = 560, .height = 480}};
  char    name[] = "springbench animate";
  argv[0] = name;
  argp_err_exit_status = SB_EXIT_USAGE;
  if (argp_parse(&argp, argc, argv, 0, NULL, &r) != 0) return SB_EXIT_USAGE;
  return draw_what(&r, session) ? SB_EXIT_OK : SB_EXIT_USAGE;
}

const sb_command sb_command_animate = {
    "animate",
    "FILE.h5|DIR/KEY|DIR [ID] [-o FILE] [--colour plain|strain] …",
    "a stored motion as an animated GIF and a strip of stills",
    run_animate,
};
