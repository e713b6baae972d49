/* From a child's end to a row; see runner_attempt.h. A case that ran to its end answers with a row of its own; for one
 * that did not, the runner writes the row: why it ended, and the last line of its log. */
#include "harness/run/runner_attempt.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "harness/common/durable.h"
#include "harness/common/exit_status.h"

/* The last line of its standard output, when it is a row of this case. */
static json_t *parse_row(const sb_child *child, const char *key, sb_status *status)
{
  size_t end = child->length;
  while (end > 0 && strchr("\r\n ", child->text[end - 1])) --end;
  const char *newline = end > 0 ? memrchr(child->text, '\n', end) : NULL;
  const char *start = newline ? newline + 1 : child->text;
  json_t     *row = end > 0 ? json_loadb(start, end - (size_t)(start - child->text), 0, NULL) : NULL;
  const char *of = json_string_value(json_object_get(row, "key"));
  const char *name = json_string_value(json_object_get(row, "status"));
  if (of && name && strcmp(of, key) == 0 && sb_status_from_name(name, status) &&
      json_is_object(json_object_get(row, "columns")))
    return row;
  json_decref(row);
  return NULL;
}

/* Text of input from who knows where, so that it fits a JSON string and a table: control characters become blanks. */
static json_t *reason_text(char *reason)
{
  for (char *c = reason; *c; ++c)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
  json_t *text = json_string(reason);
  for (char *c = reason; !text && *c; ++c)
    if ((unsigned char)*c > 0x7e) *c = '?';
  return text ? text : json_string(reason);
}

/* A row for an attempt that gave none. Takes the reason. */
static void fail(sb_attempt *attempt, const sb_child *child, const char *key, sb_status status, char *reason)
{
  attempt->kind = status == SB_CASE_INTERRUPTED ? SB_ATTEMPT_INTERRUPTED : SB_ATTEMPT_FAILURE;
  attempt->status = status;
  attempt->row = json_pack("{s:s, s:s, s:o, s:n, s:s, s:f, s:f, s:{}}", "key", key, "status", sb_status_name(status),
                           "reason", reason_text(reason), "accuracy_ok", "digest", "", "wall_s", child->wall_seconds,
                           "max_rss_bytes", child->peak_bytes, "columns");
  free(reason);
}

static char *with_last_line(const sb_child *child, char *what)
{
  char *line = sb_child_last_log_line(child);
  char *reason = line ? sb_format("%s; last line of its log: %s", what, line) : sb_format("%s; its log is empty", what);
  free(line);
  free(what);
  return reason;
}

/* The last line of its log or, where nothing could be written there, of its output; NULL when there is none. */
static char *last_words(const sb_child *child)
{
  char  *line = sb_child_last_log_line(child);
  size_t end = child->length;
  if (line) return line;
  while (end > 0 && strchr("\r\n ", child->text[end - 1])) --end;
  const char *newline = end > 0 ? memrchr(child->text, '\n', end) : NULL;
  const char *start = newline ? newline + 1 : child->text;
  return end > 0 ? sb_copy_span(start, end - (size_t)(start - child->text)) : NULL;
}

static char *signal_text(const sb_child *child, int number)
{
  const char *name = sigabbrev_np(number);
  char       *what = name ? sb_format("killed by SIG%s", name) : sb_format("killed by signal %d", number);
  if (number == SIGKILL) {
    char *from_outside = sb_format("%s from outside (out of memory?)", what);
    free(what);
    what = from_outside;
  }
  return with_last_line(child, what);
}

/* Told to end by the runner. */
static void judge_ended(const sb_child *child, const char *key, sb_attempt *attempt)
{
  char used[32], limit[32];
  if (child->end == SB_TIMED_OUT)
    fail(attempt, child, key, SB_CASE_TIMEOUT,
         sb_format("over the limit of %g s", child->deadline_seconds - child->started_seconds));
  else if (child->end == SB_OUT_OF_MEMORY)
    fail(attempt, child, key, SB_CASE_OOM,
         sb_format("resident memory %s over the limit of %s", sb_format_bytes(child->peak_bytes, used),
                   sb_format_bytes(child->memory_limit_bytes, limit)));
  else
    fail(attempt, child, key, SB_CASE_INTERRUPTED, sb_format("stopped with the run"));
}

static bool wrote_file(const sb_child *child)
{
  struct stat file;
  return stat(child->file, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0;
}

/* The case's own row counts when its exit status says the same. */
static bool accept_row(const sb_child *child, const char *key, int code, sb_attempt *attempt)
{
  attempt->row = parse_row(child, key, &attempt->status);
  const bool result = attempt->row && sb_status_is_result(attempt->status);
  if (code == SB_EXIT_OK && result && wrote_file(child))
    attempt->kind = SB_ATTEMPT_RESULT;
  else if (code <= SB_EXIT_CASES_FAILED && attempt->row && !result)
    attempt->kind = SB_ATTEMPT_FAILURE;
  else
    return false;
  const double said = json_number_value(json_object_get(attempt->row, "max_rss_bytes"));
  if (child->peak_bytes > said) json_object_set_new(attempt->row, "max_rss_bytes", json_real(child->peak_bytes));
  return true;
}

static void judge_code(const sb_child *child, const char *key, int code, sb_attempt *attempt)
{
  if (accept_row(child, key, code, attempt)) return;
  const bool has_row = attempt->row != NULL;
  json_decref(attempt->row);
  if (code == SB_EXIT_INTERRUPTED) {
    fail(attempt, child, key, SB_CASE_INTERRUPTED, sb_format("stopped by a signal"));
  } else if (code > 128 && sigabbrev_np(code - 128)) {
    fail(attempt, child, key, SB_CASE_CRASHED, signal_text(child, code - 128)); /* as shells and mpiexec report it */
  } else if (code == SB_EXIT_OK) {
    const char *lacks = has_row ? "exit status 0, but no file" : "exit status 0, but no row on its standard output";
    fail(attempt, child, key, SB_CASE_ERROR, with_last_line(child, sb_format("%s", lacks)));
  } else {
    const bool tells = code == SB_EXIT_USAGE || code == SB_EXIT_STORAGE || code == SB_EXIT_UNFIT;
    char      *line = tells ? last_words(child) : NULL;
    fail(attempt, child, key, SB_CASE_ERROR, line ? line : with_last_line(child, sb_format("exit status %d", code)));
  }
  if (code == SB_EXIT_STORAGE) attempt->kind = SB_ATTEMPT_STORAGE;
  if (code == SB_EXIT_UNFIT) attempt->kind = SB_ATTEMPT_UNFIT;
}

bool sb_row_is_noisy(const json_t *row)
{
  const char *noisy = json_string_value(json_object_get(json_object_get(row, "columns"), "noisy"));
  return noisy && *noisy;
}

void sb_attempt_judge(const sb_child *child, const sb_planned_case *planned, sb_attempt *attempt)
{
  *attempt = (sb_attempt){0};
  if (child->end != SB_ENDED_ALONE)
    judge_ended(child, planned->key, attempt);
  else if (WIFSIGNALED(child->wait_status))
    fail(attempt, child, planned->key, SB_CASE_CRASHED, signal_text(child, WTERMSIG(child->wait_status)));
  else
    judge_code(child, planned->key, WEXITSTATUS(child->wait_status), attempt);
  attempt->reason = json_string_value(json_object_get(attempt->row, "reason"));
  if (!attempt->reason) attempt->reason = "";
}

void sb_attempt_clear(sb_attempt *attempt)
{
  json_decref(attempt->row);
  *attempt = (sb_attempt){0};
}
