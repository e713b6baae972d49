/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of drivers and of problems, expanded from drivers.def and problems.def, and those of all layers. */
#include "drivers/drivers.h"

#include "base/option_ids.h"
#include "cases/describe/simulators.h"

#define SB_ENTRY(name) extern const sb_driver sb_driver_##name;
#include "drivers/drivers.def"
#undef SB_ENTRY

static const sb_entry *const drivers[] = {
#define SB_ENTRY(name) &sb_driver_##name.entry,
#include "drivers/drivers.def"
#undef SB_ENTRY
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_driver *driver = (const void *)entry;
  sb_describe_claim(d, driver->restarts, "can continue from a case file (option restart)");
  for (const sb_column *c = driver->columns; c < driver->columns + driver->column_count; ++c)
    SB_DESCRIBE_ROW(d, "columns", "name", c->name, "unit", c->unit, "timing", c->timing ? "yes" : "", "sentence",
                    c->sentence);
}

static const sb_list sb_drivers = {
    .family = "drivers",
    .title = "Drivers",
    .about = "Named by option `driver`, and by the key `driver` of a sweep. Columns are those of the results' index.",
    SB_LIST_ENTRIES(drivers),
    .describe = describe,
};

/* A problem is the options that its name implies; they are its summary, too. */
#define SB_FRAME(title, options) &(const sb_entry){.name = (title), .summary = (options), .defaults = (options)},
static const sb_entry *const problems[] = {
#define SB_PROBLEM(name, options, seconds, frame)                                                                      \
  SB_FRAME(#name "_" #frame, options " frame_seconds=" seconds " substeps=1 frames=" #frame)
#define SB_PROBLEMS(name, options, seconds, first, second, third)                                                      \
  SB_PROBLEM(name, options, seconds, first)                                                                            \
  SB_PROBLEM(name, options, seconds, second)                                                                           \
  SB_PROBLEM(name, options, seconds, third)
#include "drivers/problems.def"
#undef SB_PROBLEMS
#undef SB_PROBLEM
};

static const sb_list sb_problems = {
    .family = "problems",
    .title = "Problems for comparing minimisers",
    .about = "Named by option `problem`, which sets the options shown. The first word is a stratum; problems whose "
             "names end in a number are one motion at several frames.",
    .brief = true,
    SB_LIST_ENTRIES(problems),
};

#define SB_LIST(list) extern const sb_list list;
#include "model/system/lists.def"
#include "solvers/integrate/lists.def"
#undef SB_LIST

static const sb_list *const lists[] = {
#define SB_LIST(list) &list,
#include "model/system/lists.def"
#include "solvers/integrate/lists.def"
#undef SB_LIST
    &sb_drivers, &sb_problems, &sb_simulators, &sb_option_entries};

const sb_vocabulary *sb_full_vocabulary(void)
{
  /* Made once from constants: the lists cannot change while the program runs. */
  static sb_selectors  selectors[SB_OPT_COUNT];
  static sb_vocabulary vocabulary = {lists, sizeof lists / sizeof *lists, NULL};
  if (vocabulary.selectors) return &vocabulary;
  for (int i = 0; i < SB_OPT_COUNT; ++i) selectors[i] = sb_option_selectors((sb_option_id)i, &vocabulary);
  vocabulary.selectors = selectors;
  return &vocabulary;
}
