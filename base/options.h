/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option table and typed option sets. Local; needs neither PETSc nor MPI.
 *
 * `options.def` is the only list of options. For every option a set stores whether it has a value, the value, its
 * origin and its location. A value is checked when it is set: type, finiteness, range or choices. A faulty value is
 * reported through diagnostics with its location and does not change the set. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/composite.h"
#include "base/diagnostics.h"
#include "base/entry.h"
#include "base/nearest_name.h"
#include "base/number.h"

/* An option's place in the table. option_ids.h has them as constants, and is for files that need these, in a table or a
 * switch: a new option compiles those again, and no others. */
typedef unsigned          sb_option_id;
extern const sb_option_id sb_option_count;
#define SB_ID(name)                                                                                                    \
  __extension__({                                                                                                      \
    extern const sb_option_id sb_option_id_##name;                                                                     \
    sb_option_id_##name;                                                                                               \
  })

typedef enum {
  SB_KIND_BOOL,
  SB_KIND_INTEGER,
  SB_KIND_REAL,      /* a number, or a fraction of two: 1/30; or the word before '|' in its range, which reads as NaN */
  SB_KIND_NAME,      /* one of the choices */
  SB_KIND_TEXT,      /* printable text without line breaks */
  SB_KIND_VECTOR,    /* [x,y,z] */
  SB_KIND_SELECTION, /* one of the choices, or [0,3,10:12], a list of numbers and inclusive ranges */
  SB_KIND_COMPOSITE  /* none, or kinds of a family with their parts: "sphere:centre=[0,0,0],radius=0.3;…" */
} sb_option_kind;

/* Traits of options that are not part of a case's key: storage, and limits that depend on the machine. */
enum { SB_STORED_ONLY = 1, SB_LIMIT_ONLY = 2, SB_NOT_IN_KEY = SB_STORED_ONLY | SB_LIMIT_ONLY };
enum { SB_STANDS_FOR_OTHERS = 8 }; /* trait: keys and commands have the options that it stands for in its place */
enum { SB_RISING = 4 };            /* trait of a SELECTION: its numbers must rise */
/* Traits by which reports and plans treat an option. */
enum {
  SB_OF_NET = 16,      /* a scene's positions, springs, masses or pins follow from it */
  SB_OF_MOTION = 32,   /* without effect in a case that does not read `integrator` */
  SB_STATES_TIME = 64, /* the options of each of these three traits can state the same in several ways */
  SB_STATES_MASSES = 128,
  SB_STATES_STIFFNESSES = 256,
  SB_SOLVES_SYSTEMS = 512,   /* a case that reads it solves systems of equations by numerical libraries */
  SB_SHARES_WORK = 1024,     /* affects times, and the last bits of such solves, but no other result */
  SB_IN_CAPTIONS = 2048,     /* captions of tables have it, even if it has its default */
  SB_KEYED_IF_CHOSEN = 4096, /* keys have it only if it differs from its default, also if the case reads it */
  SB_KNOB = 8192,            /* among the first that a page of `springbench live` shows */
  SB_TAKES_DEVICE = 16384    /* timed cases in which it differs from its default run one at a time */
};
/* Traits by which models, solvers, cases, drivers and the library treat an option. */
enum {
  SB_STATES_DAMPING = 1 << 15, /* as SB_STATES_TIME */
  SB_STATES_NOISE = 1 << 16,
  SB_INSTEAD = 1 << 17,          /* excludes the options of the same SB_STATES_… that do not have this trait */
  SB_OF_RUN = 1 << 18,           /* how long a run is, what it measures and stores */
  SB_OF_COMMAND_LINE = 1 << 19,  /* the library and `springbench live` lack it, as those of SB_OF_RUN */
  SB_CHOSEN_ANEW = 1 << 20,      /* a continued run may have another value, as with SB_OF_RUN and SB_NOT_IN_KEY */
  SB_OF_START = 1 << 21,         /* a scene's state at the start follows from it: fixed as soon as a run has begun */
  SB_OF_PINS = 1 << 22,          /* only pins follow from it */
  SB_ACTS = 1 << 23,             /* acts on nets besides their springs, unless it has its default or is zero */
  SB_ACTS_ON_SURFACES = 1 << 24, /* the same, but not on a single spring or a straight chain */
  SB_DAMPS = 1 << 25,            /* acts against velocities */
  SB_OF_CONTACT = 1 << 26,       /* only contact with colliders reads it, but for what self-contact shares with it */
  SB_NOT_ON_DEVICE = 1 << 27,    /* no device has the steps of a case in which it differs from its default */
  SB_PETSC_TEXT = 1 << 28        /* PETSc's own options, in its notation */
};

typedef struct {
  SB_ENTRY_HEAD;
  sb_option_kind kind;
  const char    *unit;   /* "" if it has no unit */
  const char    *preset; /* default as a user would type it; NULL: unset */
  const char    *range;  /* interval such as "(0,1e9]" or "auto|(0,2)", or choices such as "none|final", or "@family" */
  unsigned       traits;
} sb_option;

/* The origin of a value. A later value replaces an earlier one, for any origins. */
typedef enum { SB_FROM_NOBODY, SB_FROM_TABLE, SB_FROM_SCENE, SB_FROM_USER } sb_origin;

/* The options that choose from a list of which some entries read an option; if there is no such list, all cases read
 * it. */
enum { SB_SELECTORS_MAX = 8 };
typedef struct {
  size_t       count;
  sb_option_id by[SB_SELECTORS_MAX];
} sb_selectors;

/* The lists that are known, for "@family" choices; each layer has a file lists.def. A family that is not among them
 * accepts anything that looks like a name (for tests of single layers). Entries of a family that COMPOSITE options name
 * are forms. */
typedef struct {
  const sb_list *const *lists;
  size_t                count;
  const sb_selectors   *selectors; /* [SB_OPT_COUNT] results of sb_option_selectors, or NULL */
} sb_vocabulary;

typedef struct sb_options sb_options;

/* The list of a family; NULL: it is not known. */
const sb_list *sb_vocabulary_list(const sb_vocabulary *vocabulary, const char *family);
/* Returns the vocabulary with one more entry in the list of a family. In the arena. */
const sb_vocabulary *sb_vocabulary_with(const sb_vocabulary *vocabulary, const char *family, const sb_entry *entry,
                                        sb_arena *arena);
/* The list that an option chooses from, NULL: none, or it is not known. */
const sb_list *sb_option_list(sb_option_id id, const sb_vocabulary *vocabulary);

/* The options themselves. */
extern const sb_list sb_option_entries;

const sb_option *sb_option_at(sb_option_id id);
/* sb_option_count if there is no option of that name. */
sb_option_id sb_option_find(const char *name);
/* False if the option takes names and `text` is not one of them; *near is then the nearest, malloc'ed, or NULL. A NULL
 * vocabulary allows everything. */
bool sb_option_may_be(sb_option_id id, const sb_vocabulary *vocabulary, const char *text, char **near);
/* True if a numeric option also accepts a word: "auto|(0,2)". */
bool sb_option_takes_word(sb_option_id id);
/* True if the two state the same in different ways (SB_INSTEAD). */
bool sb_option_excludes(sb_option_id a, sb_option_id b);
/* Reports E101 for a name that no option has, with the options that it may mean (option_aliases.def, or the nearest
 * name); false. */
bool        sb_option_unknown(const char *name, sb_location where, sb_diagnostics *diagnostics);
const char *sb_option_kind_name(sb_option_kind kind); /* "integer", "real", … */
const char *sb_option_section(sb_option_id id);       /* the heading of options.def above it */

/* Returns a set with the table's defaults, NULL if memory is out. `vocabulary` is borrowed and may be NULL. */
sb_options *sb_options_create(const sb_vocabulary *vocabulary);
sb_options *sb_options_copy(const sb_options *options);
/* Returns a copy with these "option=value" set with the origin of a scene; NULL ends the list. An invalid pair is a bug
 * (assert). */
sb_options *sb_options_with(const sb_options *options, const char *const *pairs);
void        sb_options_destroy(sb_options **options);
/* Hands a set (or NULL) to an arena, which destroys it; returns the set. */
sb_options          *sb_options_keep(sb_options *options, sb_arena *arena);
const sb_vocabulary *sb_options_vocabulary(const sb_options *options);

/* Sets one option from text. False and a diagnostic (E101–E106) if the text is not a value of the option. */
bool sb_options_set(sb_options *options, sb_option_id id, const char *text, sb_origin origin, sb_location where,
                    sb_diagnostics *diagnostics);
/* The same for `name=value`; an unknown name is E101 with a suggestion. */
bool sb_options_set_pair(sb_options *options, const char *pair, sb_origin origin, sb_location where,
                         sb_diagnostics *diagnostics);
void sb_options_unset(sb_options *options, sb_option_id id);

bool        sb_options_has(const sb_options *options, sb_option_id id); /* has a value, whoever gave it */
sb_origin   sb_options_origin(const sb_options *options, sb_option_id id);
sb_location sb_options_location(const sb_options *options, sb_option_id id); /* location of the user's value */
/* The origin with which a stored value is read: an option that stands for others comes in addition to these, with no
 * origin. */
sb_origin sb_option_stored_origin(sb_option_id id);
/* The place to name in errors about an option: that of the option if the user gave it, else that of the scene. */
sb_location sb_options_blame(const sb_options *options, sb_option_id id);

/* The items of a COMPOSITE, borrowed. *count is 0 if it is none or unset, or if the set has no vocabulary. */
const sb_composite *sb_options_composites(const sb_options *options, sb_option_id id, size_t *count);

/* Typed reads. The option must have a value of this kind (assert). */
bool          sb_options_flag(const sb_options *options, sb_option_id id);
int64_t       sb_options_integer(const sb_options *options, sb_option_id id);
double        sb_options_real(const sb_options *options, sb_option_id id);
const double *sb_options_vector(const sb_options *options, sb_option_id id); /* [3] */
/* Canonical text of any kind: numbers in the shortest form that reads back to the same bits. "" if unset. */
const char *sb_options_text(const sb_options *options, sb_option_id id);
/* The same, but not recorded. */
const char *sb_options_peek(const sb_options *options, sb_option_id id);
/* True if the option has a value other than its default; for a vector, other than zero. */
bool sb_options_differ(const sb_options *options, sb_option_id id);
/* The numbers of a SELECTION that is a list: ranges expanded, in the order given, malloc'ed into *numbers (the caller
 * frees). False, with *count 0, if it is a name or unset. */
bool sb_options_numbers(const sb_options *options, sb_option_id id, size_t *count, int64_t **numbers);

/* True if the case reads the option. The options in the `uses` and `reads` of a name (an integrator, a driver, …) are
 * read only if the case chooses that name by an option that is itself read. They are not read if a chosen name has them
 * in `unread`, or if another option lacks the value that they need. All cases read the other options. */
bool sb_options_read(const sb_options *options, sb_option_id id);
/* True if a chosen name has it in `unread`. */
bool sb_options_left_out(const sb_options *options, sb_option_id id);
/* True if keys of the case have the option also with its default: it is in the `uses` of a chosen name, or no entry has
 * it. */
bool sb_options_keyed(const sb_options *options, sb_option_id id);
/* From now on the typed reads of this set and of its copies set asked[id], [sb_option_count]; NULL: no longer. Returns
 * the array before, for a caller whose reads do not count. Tests compare what a method asks for with what it lists. */
bool *sb_options_record(const sb_options *options, bool *asked);
/* True if an option that is read names a missing entry of an open list: the options that the entry reads are unknown.
 */
bool sb_options_lack_entry(const sb_options *options);
/* Returns the choices with which the case would read an option: "integrator=implicit_euler, or driver=statics".
 * Malloc'ed. */
char *sb_options_readers(const sb_options *options, sb_option_id id);
/* Returns the defaults of the name that a case chooses by `selector`: "option=value …", "" if it has none. */
const char *sb_options_defaults(const sb_options *options, sb_option_id selector);
/* The next "option=value" of such a list: returns the value (malloc'ed) and sets *id to its option; NULL at the end. */
char *sb_options_next_default(const char **list, sb_option_id *id);
/* Sets these defaults, except for options that the user gave. */
void         sb_options_apply_defaults(sb_options *options, sb_option_id selector, sb_origin origin);
sb_selectors sb_option_selectors(sb_option_id id, const sb_vocabulary *vocabulary);
/* True if there are cases that do not read the option. */
bool sb_option_is_owned(sb_option_id id, const sb_vocabulary *vocabulary);

#define SB_FLAG(options, name)              sb_options_flag((options), SB_ID(name))
#define SB_INTEGER(options, name)           sb_options_integer((options), SB_ID(name))
#define SB_REAL(options, name)              sb_options_real((options), SB_ID(name))
#define SB_VECTOR(options, name)            sb_options_vector((options), SB_ID(name))
#define SB_TEXT(options, name)              sb_options_text((options), SB_ID(name))
#define SB_HAS(options, name)               sb_options_has((options), SB_ID(name))
#define SB_COMPOSITES(options, name, count) sb_options_composites((options), SB_ID(name), (count))
#define SB_IS(options, name, choice)        (strcmp(sb_options_text((options), SB_ID(name)), (choice)) == 0)
