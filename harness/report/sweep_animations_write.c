/* The pictures of a sweep's animations; see sweep_animations_write.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/report/animation.h"
#include "harness/report/report_text.h"
#include "harness/report/sweep_animations_write.h"

/* Of a frame, pixels. */
enum { WIDTH = 480, HEIGHT = 420 };

/* The key of the first case that it shows and that ran; NULL when there is none. */
static const char *key_shown(const sb_results *results, const sb_animation_spec *animation, char error[SB_ERROR_SIZE])
{
  bool       *selected = sb_report_select(results, animation->where, error);
  const char *key = NULL;
  for (size_t i = 0; selected && !key && i < sb_rows_count(results->rows); ++i) {
    const sb_value value = sb_rows_get_named(results->rows, i, "key");
    char          *path = value.kind == SB_WORD ? sb_results_case_path(results, value.word) : NULL;
    if (selected[i] && path && access(path, R_OK) == 0) key = value.word;
    free(path);
  }
  if (selected && !key) snprintf(error, SB_ERROR_SIZE, "its case has not been run, or failed");
  return key;
}

static bool is_older(const char *path, const struct stat *than)
{
  struct stat about;
  if (stat(path, &about) != 0) return true;
  return about.st_mtim.tv_sec < than->st_mtim.tv_sec ||
         (about.st_mtim.tv_sec == than->st_mtim.tv_sec && about.st_mtim.tv_nsec < than->st_mtim.tv_nsec);
}

/* Whether both pictures are newer than the case and what the sweep says of them. */
static bool is_up_to_date(const sb_results *results, const char *path, const sb_animation *wanted)
{
  char       *sweep = sb_format("%s/sweep.yaml", results->directory);
  struct stat data = {0}, said = {0};
  const bool  known = stat(path, &data) == 0 && stat(sweep, &said) == 0;
  free(sweep);
  return known && !is_older(wanted->gif, &data) && !is_older(wanted->gif, &said) && !is_older(wanted->strip, &data) &&
         !is_older(wanted->strip, &said);
}

static bool draw(const sb_vocabulary *vocabulary, const char *path, const sb_animation *wanted, FILE *drawn,
                 char error[SB_ERROR_SIZE])
{
  unlink(wanted->gif);
  unlink(wanted->strip);
  if (!sb_animate(path, vocabulary, wanted, isatty(STDERR_FILENO), error)) return false;
  if (drawn) fprintf(drawn, "%s\n%s\n", wanted->gif, wanted->strip);
  return true;
}

typedef enum { DONE, NOTHING_TO_SHOW, FAILED } outcome;

static outcome complain(const sb_animation_spec *animation, const char *why, outcome end)
{
  fprintf(stderr, "springbench: animation '%s': %s\n", animation->id, why);
  return end;
}

static outcome write_one(const sb_results *results, const sb_animation_spec *animation, bool anew, FILE *drawn)
{
  char        error[SB_ERROR_SIZE] = "";
  const char *key = key_shown(results, animation, error);
  if (!key) return complain(animation, error, NOTHING_TO_SHOW);
  if (!sb_results_case_is_whole(results, key, error)) return complain(animation, error, FAILED);
  char              *path = sb_results_case_path(results, key);
  char              *gif = sb_report_path(results->directory, "animations", animation->id, ".gif");
  char              *strip = sb_report_path(results->directory, "animations", animation->id, ".png");
  const sb_animation wanted = {.gif = gif,
                               .strip = strip,
                               .strain = animation->strain,
                               .frames_max = (size_t)animation->frames,
                               .stills = (size_t)animation->stills,
                               .seconds = animation->seconds,
                               .tilt = animation->tilt,
                               .turn = animation->turn,
                               .width = WIDTH,
                               .height = HEIGHT};
  outcome            end = gif && strip ? DONE : FAILED;
  const bool         needed = end == DONE && (anew || !is_up_to_date(results, path, &wanted));
  if (needed && !draw(results->session.vocabulary, path, &wanted, drawn, error))
    end = complain(animation, error, FAILED);
  free(path);
  free(gif);
  free(strip);
  return end;
}

static bool name_those_there(const sb_results *results, const char *id)
{
  fprintf(stderr, "springbench: error: no animation '%s'; there are:", id);
  for (size_t i = 0; i < results->sweep->animation_count; ++i) fprintf(stderr, " %s", results->sweep->animations[i].id);
  fputc('\n', stderr);
  return false;
}

bool sb_animations_write(const sb_results *results, const char *id, bool anew, FILE *drawn)
{
  bool good = true, found = false;
  for (size_t i = 0; i < results->sweep->animation_count; ++i) {
    const sb_animation_spec *animation = &results->sweep->animations[i];
    if (id && strcmp(id, animation->id) != 0) continue;
    const outcome end = write_one(results, animation, anew, drawn);
    found = true;
    good = good && (end == DONE || (end == NOTHING_TO_SHOW && !id));
  }
  return good && (found || !id || name_those_there(results, id));
}
