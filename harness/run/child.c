/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See child.h. The child dies with the runner (PR_SET_PDEATHSIG), and has its own process group, log, and clean
 * environment; how MPI starts is the business of the case (run_case.c). A case that ran to its end answers with a row;
 * for one that did not, the runner writes the row: why it ended, and the last line of its log. */
#include "harness/run/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/option_ids.h"
#include "base/profile.h"
#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/common/foreign.h"
#include "cases/common/json_text.h"
#include "cases/common/processes.h"
#include "cases/store/journal.h"
#include "harness/run/start.h"

enum { GRACE_SECONDS = 2, OUTPUT_MAX = 1 << 20, ARGUMENTS_EXTRA = 15, COUNTER_BYTES = 1 << 20 };

/* ---- how it is started ---- */

static char **make_arguments(const sb_child *child)
{
  sb_arena            *arena = child->arena;
  const sb_child_task *task = &child->task;
  const sb_run_state  *run = task->run;
  const sb_options    *options = task->planned->options;
  const double         limit = run->memory_limit_bytes;
  char               **arguments = sb_arena_take(arena, SB_OPT_COUNT + ARGUMENTS_EXTRA, sizeof *arguments);
  size_t               n = 0;
  arguments[n++] = sb_arena_copy(arena, "springbench");
  arguments[n++] = sb_arena_copy(arena, "case");
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id)
    if (sb_options_has(options, id) && sb_options_origin(options, id) == SB_FROM_USER)
      arguments[n++] = sb_arena_format(arena, "%s=%s", sb_option_at(id)->name, sb_options_text(options, id));
  if (limit > 0) arguments[n++] = sb_arena_format(arena, "memory_limit=%.0f", limit);
  arguments[n++] = sb_arena_copy(arena, "--json");
  arguments[n++] = sb_arena_copy(arena, "--no-side-car");
  if (run->build) arguments[n++] = sb_arena_format(arena, "--build=%s", run->build);
  if (SB_INTEGER(options, ranks) > 1)
    arguments[n++] = sb_arena_format(arena, "--launcher=%s", sb_launchers[run->request->launcher]);
  arguments[n++] = sb_arena_format(arena, "--repetition=%d", task->repetition);
  if (run->request->warm_up >= 0) arguments[n++] = sb_arena_format(arena, "--warm-up=%d", run->request->warm_up);
  if (task->samples_from) arguments[n++] = sb_arena_format(arena, "--samples-from=%s", task->samples_from);
  if (task->calibration_seconds > 0)
    arguments[n++] = sb_arena_format(arena, "--calibration=%.6g", task->calibration_seconds);
  arguments[n++] = sb_arena_format(arena, "--checkpoint=%s", child->checkpoint);
  if (!run->sweep->timed) arguments[n++] = sb_arena_copy(arena, "--untimed");
  if (sb_case_may_share(run->sweep, options, limit))
    arguments[n++] = sb_arena_format(arena, "--shared=%s/tmp", run->request->directory);
  arguments[n++] = sb_arena_copy(arena, "-o");
  arguments[n++] = sb_arena_copy(arena, child->file);
  return arguments;
}

/* The clock of its limits starts with its process. */
static void note_start(sb_child *child, pid_t pid)
{
  const double limit = child->task.run->time_limit_seconds;
  child->pid = pid;
  child->started_seconds = sb_clock_seconds();
  child->deadline_seconds = limit > 0 ? child->started_seconds + limit : 0;
}

/* Starts the case by the worker, if there is one and it can, else as a program. */
static bool start_process(sb_child *child, int log)
{
  const sb_child_task *task = &child->task;
  const sb_run_state  *run = task->run;
  const bool           once = run->request->quick && run->repetitions == 1;
  int                  output[2] = {-1, -1};
  sb_start             start = {.program = run->request->program,
                                .arguments = make_arguments(child),
                                .threads = SB_INTEGER(task->planned->options, threads),
                                .spreads = SB_INTEGER(task->planned->options, ranks) > 1,
                                .input = -1,
                                .log = log,
                                .cores = task->cores,
                                .signal_mask = task->signal_mask};
  if (pipe2(output, O_CLOEXEC) != 0 || fcntl(output[0], F_SETFL, O_NONBLOCK) != 0) {
    sb_storage_error("make a pipe for", child->log, errno, 0);
    if (output[0] >= 0) close(output[0]);
    if (output[1] >= 0) close(output[1]);
    return false;
  }
  start.output = output[1];
  child->output = output[0];
  child->before_bytes = sb_process_peak_bytes(getpid());
  child->waits = child->forked =
      run->request->workers && !task->own &&
      !sb_case_is_own_program(run->sweep, task->planned->options, run->memory_limit_bytes, once) &&
      sb_workers_ask(run->request->workers, &start, &child->asked);
  if (child->waits) child->before_bytes = child->asked.before_bytes;
  if (!child->waits) note_start(child, sb_start_program(&start));
  const int cause = errno;
  close(output[1]);
  return sb_child_is_busy(child) || sb_storage_error("start a process for", child->log, cause, 0);
}

bool sb_child_start(sb_child *child, const sb_child_task *task)
{
  char        host[64];
  const char *directory = task->run->request->directory;
  const bool  first = task->repetition == 0;
  *child = (sb_child){.task = *task, .arena = sb_arena_create(), .output = -1};
  child->log = sb_arena_format(child->arena, "%s/logs/%s.txt", directory, task->log ? task->log : task->planned->key);
  child->file = sb_arena_format(child->arena, "%s/tmp/%s.%s.%ld.%zu.h5", directory, task->planned->key,
                                sb_host_name(host), (long)getpid(), task->number);
  const int log =
      first ? sb_create(child->log, O_APPEND) : sb_open(child->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  if (log < 0) return sb_storage_error("write", child->log, errno, 0);
  child->checkpoint = sb_arena_adopt(child->arena, sb_checkpoint_path(directory, task->planned->key));
  child->polls_memory = task->run->memory_limit_bytes > 0 || SB_INTEGER(task->planned->options, ranks) > 1;
  const bool started = start_process(child, log);
  close(log);
  return started;
}

/* ---- while it runs ---- */

static void read_output(sb_child *child)
{
  char chunk[4096];
  while (child->output >= 0) {
    const ssize_t got = TEMP_FAILURE_RETRY(read(child->output, chunk, sizeof chunk));
    if (got < 0) return;
    if (got == 0) {
      close(child->output);
      child->output = -1;
      return;
    }
    char *text = child->length < OUTPUT_MAX ? realloc(child->text, child->length + (size_t)got + 1) : NULL;
    if (!text) continue; /* no row is that long: the rest is read only so that the child does not block */
    child->text = text;
    memcpy(text + child->length, chunk, (size_t)got);
    child->length += (size_t)got;
    text[child->length] = '\0';
  }
}

/* It has ended while the runner was stopped or busy: the clock no longer matters. */
static bool has_ended(const sb_child *child)
{
  siginfo_t end = {.si_pid = 0};
  return waitid(P_PID, (id_t)child->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == child->pid;
}

bool sb_child_is_busy(const sb_child *child) { return child->pid != 0 || child->waits; }

double sb_child_due(const sb_child *child)
{
  if (child->kill_seconds > 0) return child->kill_seconds;
  return child->waits ? child->asked.due_seconds : child->deadline_seconds;
}

/* It may be ended: it was not asked to leave, or its leaving with a stored state takes too long. */
static bool goes_on(const sb_child *child) { return child->end == SB_OK || child->saves; }

void sb_child_save(sb_child *child)
{
  if (child->waits) sb_child_stop(child); /* there is no state yet */
  if (child->pid == 0 || child->end != SB_OK || has_ended(child)) return;
  child->end = SB_CASE_INTERRUPTED;
  child->saves = true;
  sb_processes_signal(child->pid, SIGUSR1);
}

void sb_child_stop(sb_child *child)
{
  if (!sb_child_is_busy(child) || !goes_on(child) || (child->pid != 0 && has_ended(child))) return;
  child->end = SB_CASE_INTERRUPTED;
  child->saves = false;
  child->kill_seconds = sb_clock_seconds() + GRACE_SECONDS;
  if (child->pid != 0) sb_processes_signal(child->pid, SIGTERM);
}

static void saw_memory(sb_child *child, double bytes)
{
  if (bytes > child->peak_bytes) child->peak_bytes = bytes;
}

static void enforce_limits(sb_child *child)
{
  const double now = sb_clock_seconds(), limit = child->task.run->memory_limit_bytes;
  const double bytes = child->polls_memory ? sb_processes_resident_bytes(child->pid) : 0;
  saw_memory(child, bytes);
  saw_memory(child, sb_process_peak_bytes(child->pid));
  if (limit > 0 && bytes > limit && goes_on(child)) {
    child->end = SB_CASE_OOM;
    child->saves = false;
    sb_processes_signal(child->pid, SIGKILL);
  }
  if (child->deadline_seconds > 0 && now > child->deadline_seconds && goes_on(child)) {
    sb_child_stop(child);
    if (child->kill_seconds > 0) child->end = SB_CASE_TIMEOUT; /* it had not ended just before */
  }
  if (child->kill_seconds > 0 && now > child->kill_seconds) sb_processes_signal(child->pid, SIGKILL);
}

/* Takes the answer of the worker, if there is one. A case that it does not start is started here, unless it is to stop.
 * True if the case has ended so. */
static bool take_answer(sb_child *child)
{
  const bool  last = sb_clock_seconds() > sb_child_due(child);
  const pid_t pid = sb_workers_answer(child->task.run->request->workers, &child->asked, child->output, last);
  if (pid == 0) return false;
  child->waits = false;
  if (pid > 0) {
    note_start(child, pid);
    if (child->end != SB_OK) sb_processes_signal(pid, SIGTERM);
    return false;
  }
  close(child->output);
  child->output = -1;
  if (child->end != SB_OK) return true;
  sb_child_task task = child->task;
  task.own = true;
  sb_child_clear(child, true);
  if (sb_child_start(child, &task)) return false;
  child->wait_status = W_EXITCODE(SB_EXIT_STORAGE, 0); /* as if it had reported this itself */
  return true;
}

bool sb_child_attend(sb_child *child)
{
  struct rusage usage;
  if (child->waits && take_answer(child)) return true;
  if (child->pid == 0) return false;
  read_output(child);
  if (!has_ended(child)) enforce_limits(child);
  if (wait4(child->pid, &child->wait_status, WNOHANG, &usage) != child->pid) return false;
  child->wall_seconds = sb_clock_seconds() - child->started_seconds;
  kill(-child->pid, SIGKILL);                               /* remaining processes would disturb the next cases */
  while (waitpid(-child->pid, NULL, WNOHANG) > 0) continue; /* those that became the runner's */
  child->pid = 0;
  if (WIFSIGNALED(child->wait_status)) sb_foreign_remove_left();
  /* ru_maxrss is not below the memory of the process it was forked from; the kernel's counters are not exact. */
  const double peak = (double)usage.ru_maxrss * 1024;
  if (peak > child->before_bytes + COUNTER_BYTES) saw_memory(child, peak);
  read_output(child);
  if (child->output >= 0) close(child->output);
  child->output = -1;
  return true;
}

void sb_remove_aside(const char *directory, const char *part)
{
  SB_OWNED char *folder = sb_format("%s/tmp", directory);
  DIR           *entries = opendir(folder);
  for (const struct dirent *entry; entries && (entry = readdir(entries));)
    if (strstr(entry->d_name, part)) unlinkat(dirfd(entries), entry->d_name, 0);
  if (entries) closedir(entries);
}

void sb_child_clear(sb_child *child, bool remove_file)
{
  /* The file, and temporary files with longer names of a case that was killed while writing. */
  if (remove_file && child->file) sb_remove_aside(child->task.run->request->directory, strrchr(child->file, '/') + 1);
  free(child->text);
  sb_arena_destroy(&child->arena);
  *child = (sb_child){.output = -1};
}

/* ---- the end of the case ---- */

/* The last line of a text that is not blank, NULL if there is none. */
static const char *last_line(const sb_child *child, const char *text, size_t length)
{
  while (length > 0 && strchr(" \t\r\n", text[length - 1])) --length;
  const char *newline = length > 0 ? memrchr(text, '\n', length) : NULL;
  const char *start = newline ? newline + 1 : text;
  return length > 0 ? sb_arena_copy_span(child->arena, start, length - (size_t)(start - text)) : NULL;
}

/* The length of a log without the notice between two rules with which it ends: Open MPI 5's mpiexec adds one of the
 * rank that failed, which no option suppresses. */
static size_t length_without_notice(const char *text, size_t length)
{
  static const char rule[] = "--------------------------------------------------------------------------\n";
  const size_t      width = sizeof rule - 1;
  if (length < 2 * width || memcmp(text + length - width, rule, width) != 0) return length;
  for (size_t at = length - 2 * width + 1; at-- > 0;)
    if (memcmp(text + at, rule, width) == 0 && (at == 0 || text[at - 1] == '\n')) return at;
  return length;
}

static const char *last_line_of_log(const sb_child *child)
{
  enum { TAIL = 4096 };
  char      tail[TAIL];
  const int file = sb_open(child->log, O_RDONLY);
  if (file < 0) return NULL;
  const off_t   size = lseek(file, 0, SEEK_END), from = size > TAIL ? size - TAIL : 0;
  const ssize_t got = TEMP_FAILURE_RETRY(pread(file, tail, TAIL, from));
  close(file);
  return last_line(child, tail, got > 0 ? length_without_notice(tail, (size_t)got) : 0);
}

/* The last line of its standard output; NULL: it is not JSON, or there is none. */
static json_t *parse_answer(const sb_child *child)
{
  const char *line = last_line(child, child->text, child->length);
  return line ? json_loads(line, 0, NULL) : NULL;
}

/* Its row, when that is one of this case. *other: it is one of another case. */
static json_t *parse_row(const sb_child *child, sb_status *status, bool *other)
{
  const char *key = NULL, *name = NULL;
  json_t     *row = parse_answer(child), *columns = NULL;
  if (json_unpack(row, "{s:s, s:s, s:o}", "key", &key, "status", &name, "columns", &columns) == 0 &&
      sb_status_from_name(name, status) && json_is_object(columns)) {
    *other = strcmp(key, child->task.planned->key) != 0;
    if (!*other) return row;
  }
  json_decref(row);
  return NULL;
}

static bool has_plugins(const sb_child *child)
{
  const char *plugins = sb_case_plugins(child->task.planned->options, child->arena);
  return plugins && *plugins;
}

static bool reads_files(const sb_child *child)
{
  bool reads = has_plugins(child);
  for (size_t k = 0; k < SB_INPUT_OPTIONS; ++k) reads = reads || child->task.planned->inputs[k];
  return reads;
}

/* True if the case itself ended with this status: methods of plug-ins may end its process, with any. */
static bool means(const sb_child *child, int exit_status)
{
  int          said = 0;
  json_auto_t *answer = has_plugins(child) ? parse_answer(child) : NULL;
  return !has_plugins(child) || (json_unpack(answer, "{s:i}", "ends", &said) == 0 && said == exit_status);
}

/* Input of unknown origin, as a text that fits a JSON string and a table: control characters become blanks. */
static json_t *reason_text(sb_arena *arena, const char *text)
{
  char *reason = sb_arena_copy(arena, text);
  for (char *c = reason; *c; ++c)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
  json_t *json = json_string(reason);
  for (char *c = reason; !json && *c; ++c)
    if ((unsigned char)*c > 0x7e) *c = '?';
  return json ? json : json_string(reason);
}

static const char *with_last_line(const sb_child *child, const char *what)
{
  const char *line = last_line_of_log(child);
  return line ? sb_arena_format(child->arena, "%s; last line of its log: %s", what, line)
              : sb_arena_format(child->arena, "%s; its log is empty", what);
}

/* NULL if the case's own row counts, as its exit status agrees; else the reason why another row replaces it. */
static const char *judge_code(const sb_child *child, int code, sb_attempt *attempt)
{
  struct stat file;
  const bool  wrote = stat(child->file, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0;
  bool        other = false;
  json_t     *row = parse_row(child, &attempt->status, &other);
  const bool  has_row = row != NULL, result = has_row && sb_status_is_result(attempt->status);
  if (has_row && (result ? code == SB_EXIT_OK && wrote : code <= SB_EXIT_CASES_FAILED)) {
    attempt->row = row;
    return NULL;
  }
  json_decref(row);
  attempt->status = code == SB_EXIT_NO_MEMORY ? SB_CASE_OOM : SB_CASE_ERROR;
  const bool unfit = (code == SB_EXIT_STORAGE || code == SB_EXIT_UNFIT) && means(child, code);
  other = other && reads_files(child);
  attempt->ends_sweep = other ? SB_EXIT_UNFIT : unfit ? code : 0;
  if (other) return "a plug-in or a file of this case was changed after the run began; it is another case now";
  if (code == SB_EXIT_OK)
    return with_last_line(child,
                          has_row ? "exit status 0, but no file" : "exit status 0, but no row on its standard output");
  const bool  told = unfit || code == SB_EXIT_USAGE || code == SB_EXIT_NO_MEMORY; /* on a separate line */
  const char *line = told ? last_line_of_log(child) : NULL;
  if (!line && told) { /* on a full disk the log is empty, and the case reports that before it announces its end */
    const char *ends = child->length > 0 ? memmem(child->text, child->length, "{\"ends\":", 8) : NULL;
    line = last_line(child, child->text, ends ? (size_t)(ends - child->text) : child->length);
  }
  return line ? line : with_last_line(child, sb_arena_format(child->arena, "exit status %d", code));
}

sb_attempt sb_child_judge(const sb_child *child)
{
  sb_arena   *arena = child->arena;
  char        used[32], limit[32];
  const char *reason, *name;
  const int   code = WIFEXITED(child->wait_status) ? WEXITSTATUS(child->wait_status) : 0;
  const int   number = WIFSIGNALED(child->wait_status)          ? WTERMSIG(child->wait_status)
                       : code > 128 && sigabbrev_np(code - 128) ? code - 128 /* as shells and mpiexec report it */
                                                                : 0;
  /* A case that was asked to store its state may have ended first. */
  const bool ended = child->saves && WIFEXITED(child->wait_status) && code != SB_EXIT_INTERRUPTED && number == 0;
  const bool interrupted = child->end == SB_CASE_INTERRUPTED && !ended;
  sb_attempt attempt = {.status = ended ? SB_OK : child->end};
  if (child->end == SB_CASE_TIMEOUT) {
    reason = sb_arena_format(arena, "over the limit of %g s", child->task.run->time_limit_seconds);
  } else if (child->end == SB_CASE_OOM) {
    reason = sb_arena_format(arena, "resident memory %s over the limit of %s", sb_format_bytes(child->peak_bytes, used),
                             sb_format_bytes(child->task.run->memory_limit_bytes, limit));
  } else if (interrupted || (code == SB_EXIT_INTERRUPTED && means(child, code))) {
    attempt.status = SB_CASE_INTERRUPTED;
    reason = interrupted ? "stopped with the run" : "stopped by a signal";
  } else if (number > 0) {
    attempt.status = SB_CASE_CRASHED;
    name = sigabbrev_np(number);
    reason = with_last_line(child, name ? sb_arena_format(arena, "killed by SIG%s%s", name,
                                                          number == SIGKILL ? " from outside (out of memory?)" : "")
                                        : sb_arena_format(arena, "killed by signal %d", number));
  } else {
    reason = judge_code(child, code, &attempt);
  }
  if (reason) /* an attempt that gave no row gets one */
    attempt.row = json_pack("{s:s, s:s, s:o, s:n, s:s, s:f, s:o, s:{}}", "key", child->task.planned->key, "status",
                            sb_status_name(attempt.status), "reason", reason_text(arena, reason), "accuracy_ok",
                            "digest", "", "wall_s", child->wall_seconds, "max_rss_bytes",
                            child->peak_bytes > 0 ? json_real(child->peak_bytes) : json_null(), "columns");
  sb_arena_defer(arena, sb_json_end, attempt.row);
  attempt.reason = json_string_value(json_object_get(attempt.row, "reason"));
  if (!attempt.reason) attempt.reason = "";
  return attempt;
}

bool sb_row_is_noisy(const json_t *row)
{
  json_auto_t *columns = sb_journal_columns(row);
  const char  *noisy = json_string_value(json_object_get(columns, "noisy"));
  return noisy && *noisy;
}

/* ---- its processors ---- */

/* Only the processors that this process may use: taskset or a batch system may have given away the rest. */
static bool load_own_processors(hwloc_topology_t *topology)
{
  if (hwloc_topology_init(topology) != 0) return false;
  /* This part would move the process to every processor in turn, which other programs may have for themselves. */
  hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(*topology) != 0) return false;
  hwloc_bitmap_t mine = hwloc_bitmap_alloc();
  const bool     known = hwloc_get_cpubind(*topology, mine, HWLOC_CPUBIND_PROCESS) == 0 &&
                     hwloc_topology_restrict(*topology, mine, 0) == 0;
  hwloc_bitmap_free(mine);
  return known;
}

sb_slots sb_slots_create(int asked, int width, sb_arena *arena)
{
  hwloc_topology_t topology = NULL;
  hwloc_obj_type_t type = HWLOC_OBJ_CORE;
  sb_slots         slots = {0};
  const bool       known = load_own_processors(&topology);
  if (known && hwloc_get_nbobjs_by_type(topology, type) < 1) type = HWLOC_OBJ_PU;
  const int cores = known ? hwloc_get_nbobjs_by_type(topology, type) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  slots.count = cores / width;
  if (slots.count < 1) slots.count = 1;
  if (asked > 0 && asked < slots.count) slots.count = asked;
  if (known) slots.sets = sb_arena_take(arena, (size_t)slots.count, sizeof *slots.sets);
  for (int s = 0; known && s < slots.count; ++s) { /* slot s has cores s width … (s + 1) width − 1 */
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (int core = s * width; core < (s + 1) * width && core < cores; ++core)
      hwloc_bitmap_or(set, set, hwloc_get_obj_by_type(topology, type, (unsigned)core)->cpuset);
    hwloc_cpuset_to_glibc_sched_affinity(topology, set, &slots.sets[s], sizeof slots.sets[s]);
    hwloc_bitmap_free(set);
  }
  if (topology) hwloc_topology_destroy(topology);
  return slots;
}
