/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See slurm_scripts.h. A task passes SIGUSR1, which Slurm sends before the end of the allocation, to its run; the run
 * stores the states of its cases and exits with 75, and the task is requeued. */
#include "harness/run/slurm_scripts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/text.h"
#include "harness/run/tour.h"

#define UNWRITABLE "\\\n" /* in a path of sbatch */
enum { NOTICE_SECONDS = 120, REQUEUES_MAX = 100 };

static void put_assignment(FILE *script, const char *name, const char *text)
{
  fprintf(script, "%s=", name);
  sb_text_put_word(script, text);
  fputc('\n', script);
}

/* The head that both scripts share. sbatch ends a path without quotes at a blank or '#', and Slurm replaces what
 * follows a '%'. It has no way to write a backslash or a line break: then the script opens the log, without Slurm's own
 * messages. */
static void put_head(FILE *script, const sb_slurm_request *r, const char *kind, const char *folder, const char *log)
{
  fprintf(script, "#!/bin/sh\n#SBATCH --job-name=%s-%s%s\n", kind, r->sweeps[0].name, r->count > 1 ? "-etc" : "");
  fputs("#SBATCH --output=", script);
  if (strpbrk(folder, UNWRITABLE)) {
    fputs("/dev/null\n", script);
  } else {
    putc('"', script);
    for (const char *c = folder; *c; ++c) fprintf(script, "%s%c", *c == '%' ? "%" : *c == '"' ? "\\" : "", *c);
    fprintf(script, "/%s\"\n", log);
  }
  fprintf(script, "#SBATCH --open-mode=append\n%s", r->lines);
}

static void put_place(FILE *script, const char *folder, const char *log, sb_arena *arena)
{
  char here[PATH_MAX] = "";
  fputs("set -u\ncd ", script);
  sb_text_put_word(script, getcwd(here, sizeof here) ? here : ".");
  fputs(" || exit\n", script);
  put_assignment(script, "folder", folder);
  put_assignment(script, "program", sb_arena_adopt(arena, sb_program_file(NULL)));
  if (strpbrk(folder, UNWRITABLE)) fprintf(script, "exec >>\"$folder/%s\" 2>&1\n", log);
}

static char *array_script(const sb_slurm_request *r, const char *folder, sb_arena *arena)
{
  sb_arena_writer writer;
  FILE           *script = sb_arena_write(&writer, arena);
  put_head(script, r, "run", folder, "task-%a.txt");
  fprintf(script, "#SBATCH --array=1-%d\n#SBATCH --ntasks=%d\n#SBATCH --cpus-per-task=%d\n", r->tasks, r->ranks,
          r->processors);
  if (r->one_node) fputs("#SBATCH --nodes=1\n", script);
  if (r->timed) fputs("#SBATCH --exclusive\n", script);
  fprintf(script, "#SBATCH --signal=B:USR1@%d\n#SBATCH --requeue\n", NOTICE_SECONDS);
  put_place(script, folder, "task-$SLURM_ARRAY_TASK_ID.txt", arena);
  fputs("part=$folder/part-$SLURM_ARRAY_TASK_ID\npid=\n"
        "# Slurm warns before the end: the run stores its states, and the task goes on in another allocation.\n"
        "trap '[ -z \"$pid\" ] || kill -USR1 \"$pid\"' USR1\n\"$program\" run",
        script);
  for (size_t i = 0; i < r->count; ++i) {
    fputc(' ', script);
    sb_text_put_word(script, r->sweeps[i].path);
  }
  fprintf(script, "%s --shard \"$SLURM_ARRAY_TASK_ID/%d\" -o \"$part\" &\npid=$!\n", r->options, r->tasks);
  fprintf(script,
          "wait \"$pid\"\nstatus=$?\n"
          "while kill -0 \"$pid\" 2>/dev/null; do wait \"$pid\"; status=$?; done # a signal ends a wait\n"
          "if [ \"$status\" -eq 75 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt %d ]; then\n"
          "  scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\nfi\nexit \"$status\"\n",
          REQUEUES_MAX);
  return sb_arena_text(&writer);
}

/* Tasks that never ran left no journal. */
static char *merge_script(const sb_slurm_request *r, const char *folder, sb_arena *arena)
{
  sb_arena_writer writer;
  FILE           *script = sb_arena_write(&writer, arena);
  put_head(script, r, "merge", folder, "merge.txt");
  fputs("#SBATCH --ntasks=1\n", script);
  put_place(script, folder, "merge.txt", arena);
  fputs("worst=0\nmerge() { # the results directory, the folder of a sweep within a part\n"
        "  out=$1 within=$2\n  set --\n  for part in \"$folder\"/part-*; do\n"
        "    [ ! -f \"$part$within/journal.jsonl\" ] || set -- \"$@\" \"$part$within\"\n  done\n"
        "  [ $# -gt 0 ] || return 1\n  \"$program\" merge \"$out\" \"$@\"\n}\n",
        script);
  for (size_t i = 0; i < r->count; ++i) {
    fputs("merge ", script);
    sb_text_put_word(script, r->sweeps[i].output);
    fputc(' ', script);
    sb_text_put_word(script, r->count > 1 ? sb_arena_format(arena, "/%s", r->sweeps[i].within) : "");
    fputs(" || worst=$?\n", script);
  }
  fputs("exit \"$worst\"\n", script);
  return sb_arena_text(&writer);
}

static char *submit_script(const char *folder, sb_arena *arena)
{
  sb_arena_writer writer;
  FILE           *script = sb_arena_write(&writer, arena);
  fputs("#!/bin/sh\n# Failed cases are results: the parts are merged in any case.\nset -eu\n", script);
  put_assignment(script, "folder", folder);
  fputs("job=$(sbatch --parsable \"$@\" \"$folder/array.sh\")\njob=${job%%;*}\n"
        "merge=$(sbatch --parsable --dependency=\"afterany:$job\" \"$folder/merge.sh\")\n"
        "echo \"array $job, merge ${merge%%;*}\"\n",
        script);
  return sb_arena_text(&writer);
}

static bool write_script(const char *folder, const char *name, const char *text, sb_arena *arena)
{
  const char *path = sb_arena_format(arena, "%s/%s", folder, name);
  return sb_replace_file(folder, name, text, strlen(text)) &&
         (chmod(path, 0755) == 0 || sb_storage_error("write", path, errno, 0));
}

bool sb_slurm_write(const sb_slurm_request *r, sb_arena *arena)
{
  char       *made = sb_arena_format(arena, "%s.slurm", r->output);
  const bool  exists = sb_make_directory(made);
  const char *folder = exists ? sb_arena_adopt(arena, realpath(made, NULL)) : NULL;
  if (!folder) return false;
  const bool written = write_script(folder, "array.sh", array_script(r, folder, arena), arena) &&
                       write_script(folder, "merge.sh", merge_script(r, folder, arena), arena) &&
                       write_script(folder, "submit.sh", submit_script(folder, arena), arena);
  rmdir(sb_arena_format(arena, "%s/tmp", folder));
  if (!written) return false;
  printf("%d tasks of %d x %d processors%s", r->tasks, r->ranks, r->processors,
         r->timed ? " on nodes of their own" : "");
  const char *least = sb_duration_words(r->seconds[0], arena), *most = sb_duration_words(r->seconds[1], arena);
  if (*least && *most) printf("; predicted: %s to %s each", least, most);
  printf("\nsh %s/submit.sh submits them, and the job that merges their results\n", made);
  if (r->timed)
    puts("times are comparable on one kind of node only: choose it by --sbatch=--constraint=… if there are several");
  return true;
}
