/* `springbench COMMAND --help` for the commands that have no options worth a parser of their own; see command.h. */
#include <string.h>

#include "harness/commands/command.h"

static const struct {
  const char *name, *more;
} pages[] = {
    {"check",
     "Parses and type-checks a sweep file, expands it, and says what is wrong with it as FILE:LINE:COLUMN. Nothing\n"
     "is run or written. Exit status: 0 it is good, 2 it is not."},
    {"list",
     "Without a TOPIC names and summaries of everything; of a topic, or of a NAME, all that is known. --json: an\n"
     "object with an array of entries for every topic. --markdown: a topic as a page of the manual."},
    {"status",
     "Counts the cases of each status, names what failed and why, and says who is running it, or what to type\n"
     "next. `springbench show DIR/KEY` has all about one case."},
    {"show",
     "KEY is the key of a case, as in results.csv, or its beginning (4 digits or more). Prints its row, all its\n"
     "options, the command that repeats it, and the end of its log."},
    {"table",
     "Prints all tables of a sweep, or the one named ID. Forms: text, md (Markdown), csv (all digits), tex (LaTeX\n"
     "with booktabs). `run` writes all of them to DIR/tables."},
    {"plot",
     "Draws all figures of a sweep, or the one named ID, by gnuplot into DIR/figures; its script and data lie beside\n"
     "it. `dumb` draws on the screen."},
    {"verify",
     "Holds the claims of a sweep against its results: reproduced, contradicted, not tested. Of a folder of sweeps:\n"
     "the published findings against all of them, and writes REPRODUCED.md. --no-time: claims on times are told\n"
     "but decide nothing. Exit status: 0, or 3 where a claim does not hold."},
    {"report", "Writes DIR/report.md and DIR/report.html, which fetches nothing from elsewhere. Of a folder of sweeps: "
               "index.md,\n"
               "REPRODUCED.md and one report.html over all."},
    {"export",
     "To standard output. A case (FILE.h5, DIR/KEY): csv, its observables, a line a recorded frame; json, its row,\n"
     "options and observables; xdmf, for ParaView before 5.12. A directory: csv or json, its index."},
};

static bool asks_for_help(const char *argument)
{
  return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 || strcmp(argument, "-?") == 0;
}

bool sb_command_help(const sb_command *command, int argc, char **argv)
{
  bool asked = false;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) asked = asked || asks_for_help(argv[i]);
  if (!asked) return false;
  for (size_t i = 0; i < sizeof pages / sizeof *pages; ++i) {
    if (strcmp(pages[i].name, command->name) != 0) continue;
    printf("Usage: springbench %s %s\n%s\n\n%s\n", command->name, command->arguments, command->summary, pages[i].more);
    return true;
  }
  return false;
}
