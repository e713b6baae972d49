/* `springbench animate FILE.h5|DIR/KEY|DIR [ID]`: a stored motion as an animated GIF and a strip of stills; of a
 * results directory, the animations that its sweep asks for, made again. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/number.h"
#include "harness/commands/command.h"
#include "harness/report/animation.h"
#include "harness/report/sweep_animations_write.h"
#include "harness/store/publish.h"

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

static void read_count(struct argp_state *state, const char *name, const char *text, int64_t low, size_t *count)
{
  int64_t number = 0;
  if (!sb_parse_integer(text, &number) || number < low || number > 100000)
    argp_error(state, "--%s takes a whole number from %lld to 100000; got '%s'", name, (long long)low, text);
  else
    *count = (size_t)number;
}

static void read_view(struct argp_state *state, const char *text, sb_animation *wanted)
{
  double pair[2] = {0, 0};
  if (!read_pair(text, ',', pair) || pair[0] < 0 || pair[0] > 180 || pair[1] < 0 || pair[1] > 360)
    argp_error(state, "--view takes TILT,TURN with TILT in [0,180] and TURN in [0,360] degrees; got '%s'", text);
  wanted->tilt = pair[0];
  wanted->turn = pair[1];
}

static void read_size(struct argp_state *state, const char *text, sb_animation *wanted)
{
  double pair[2] = {0, 0};
  if (!read_pair(text, 'x', pair) || !(pair[0] >= 64 && pair[0] <= 4096 && pair[1] >= 64 && pair[1] <= 4096))
    argp_error(state, "--size takes WxH with 64 to 4096 pixels each; got '%s'", text);
  wanted->width = (int)pair[0];
  wanted->height = (int)pair[1];
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  request      *r = state->input;
  sb_animation *wanted = &r->wanted;
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
    read_count(state, "frames", text, 1, &wanted->frames_max);
    break;
  case STILLS:
    read_count(state, "stills", text, 1, &wanted->stills);
    break;
  case SECONDS:
    if (!sb_parse_real(text, &wanted->seconds) || !(wanted->seconds > 0))
      argp_error(state, "--seconds takes a positive number; got '%s'", text);
    break;
  case VIEW:
    read_view(state, text, wanted);
    break;
  case SIZE:
    read_size(state, text, wanted);
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
static char *with_suffix(const char *path, const char *suffix)
{
  const size_t length = strlen(path);
  const bool   cut = length > 4 && (strcmp(path + length - 4, ".gif") == 0 || strcmp(path + length - 4, ".png") == 0);
  const bool   case_file = length > 3 && strcmp(path + length - 3, ".h5") == 0;
  return sb_format("%.*s%s", (int)(length - (cut ? 4 : case_file ? 3 : 0)), path, suffix);
}

static int draw(request *r, const char *path, const char *stem, const sb_session *session)
{
  char       *gif = with_suffix(stem, ".gif"), *strip = with_suffix(stem, ".png"), error[256] = "";
  const char *shown = r->strip_only ? strip : gif;
  r->wanted.gif = r->strip_only ? NULL : gif;
  r->wanted.strip = r->gif_only ? NULL : strip;
  const bool drawn = sb_published_file_is_whole(path, error) &&
                     sb_animate(path, session->vocabulary, &r->wanted, isatty(STDERR_FILENO), error);
  if (drawn)
    printf("%s%s%s\n", shown, r->strip_only || r->gif_only ? "" : "\n", r->strip_only || r->gif_only ? "" : strip);
  else
    fprintf(stderr, "springbench: error: %s: %s\n", path, error);
  free(gif);
  free(strip);
  return drawn ? SB_EXIT_OK : SB_EXIT_USAGE;
}

/* The case of a results directory, its checksum looked at first; pictures go to DIR/animations. */
static int draw_case(request *r, const char *directory, const char *key, const sb_session *session)
{
  char        error[256] = "";
  int         status = SB_EXIT_USAGE;
  sb_results *results = sb_command_results(directory, session);
  if (!results) return status;
  char *path = sb_results_case_path(results, key), *folder = sb_format("%s/animations", directory);
  char *stem = r->output ? sb_copy_text(r->output) : sb_format("%s/%s", folder, key);
  if (!sb_results_case_is_whole(results, key, error))
    fprintf(stderr, "springbench: error: %s\n", error);
  else if (!r->output && mkdir(folder, 0777) != 0 && errno != EEXIST)
    fprintf(stderr, "springbench: error: %s: %s\n", folder, strerror(errno));
  else
    status = draw(r, path, stem, session);
  free(path);
  free(folder);
  free(stem);
  return status;
}

static bool is_folder(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* How these look stands in the sweep, so that it is the same whenever they are made. */
static int draw_those_of_sweep(const request *r, const sb_session *session)
{
  if (r->shaped) {
    fprintf(stderr,
            "springbench: error: how the animations of a sweep look stands in the sweep; got %s with options "
            "[E106]\n",
            r->what);
    return SB_EXIT_USAGE;
  }
  sb_results *results = sb_command_results(r->what, session);
  if (!results) return SB_EXIT_USAGE;
  if (results->sweep->animation_count == 0 && !r->id)
    fprintf(stderr, "springbench: %s: its sweep has no animations\n", r->what);
  const bool drawn = sb_animations_write(results, r->id, true, stdout);
  return drawn ? SB_EXIT_OK : SB_EXIT_USAGE;
}

static int draw_what(request *r, const sb_session *session)
{
  char *directory = NULL, *key = NULL;
  int   status = SB_EXIT_USAGE;
  if (is_folder(r->what))
    status = draw_those_of_sweep(r, session);
  else if (r->id)
    fprintf(stderr, "springbench: error: %s: no results directory, whose animation '%s' could be drawn\n", r->what,
            r->id);
  else if (access(r->what, F_OK) == 0)
    status = draw(r, r->what, r->output ? r->output : r->what, session);
  else if (sb_command_split_key(r->what, &directory, &key))
    status = draw_case(r, directory, key, session);
  else
    fprintf(stderr, "springbench: error: %s: neither a case file nor DIR/KEY nor a results directory\n", r->what);
  free(directory);
  free(key);
  return status;
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
  return draw_what(&r, session);
}

const sb_command sb_command_animate = {
    "animate",
    "FILE.h5|DIR/KEY|DIR [ID] [-o FILE] [--colour plain|strain] …",
    "a stored motion as an animated GIF and a strip of stills",
    run_animate,
};
