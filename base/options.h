/* The option table and typed option sets. Local; needs neither PETSc nor MPI.
 *
 * `options.def` is the one list. A set holds, for every option, whether it has a value, which, who gave it and where.
 * Values are checked when they are set: type, finiteness, range or choices; what fails is reported through
 * diagnostics with its location and leaves the set as it was. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/composite.h"
#include "base/diagnostics.h"
#include "base/nearest_name.h"
#include "base/number.h"

typedef enum {
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence) SB_OPT_##name,
#include "base/options.def"
#undef SB_OPTION
  SB_OPT_COUNT
} sb_option_id;

typedef enum {
  SB_KIND_BOOL,
  SB_KIND_INTEGER,
  SB_KIND_REAL,      /* a number, or a fraction of two: 1/30; or the word before '|' in its range, which reads NaN */
  SB_KIND_NAME,      /* one of the choices */
  SB_KIND_TEXT,      /* printable text without line breaks */
  SB_KIND_VECTOR,    /* [x,y,z] */
  SB_KIND_SELECTION, /* one of the choices, or [0,3,10:12], a list of numbers and inclusive ranges */
  SB_KIND_COMPOSITE  /* none, or kinds of a family with their parts: "sphere:centre=[0,0,0],radius=0.3;…" */
} sb_option_kind;

/* Traits of what is not part of a case's key: what is stored, and how far a case may go on the machine at hand. */
enum { SB_STORED_ONLY = 1, SB_LIMIT_ONLY = 2, SB_NOT_IN_KEY = SB_STORED_ONLY | SB_LIMIT_ONLY };
enum { SB_STANDS_FOR_OTHERS = 8 }; /* trait of a NAME: keys and commands have the options that it stands for */
enum { SB_RISING = 4 };            /* trait of a SELECTION: each number is above those before it */

typedef struct {
  const char    *name;
  sb_option_kind kind;
  const char    *unit;   /* "" where it has none */
  const char    *preset; /* default as a user would type it; NULL: unset */
  const char    *range;  /* interval such as "(0,1e9]" or "auto|(0,2)", or choices such as "none|final", or "@family" */
  unsigned       traits;
  const char    *sentence; /* lower case, no full stop */
} sb_option;

/* Who gave a value; later ones override earlier ones only by being set later. */
typedef enum { SB_FROM_NOBODY, SB_FROM_TABLE, SB_FROM_SCENE, SB_FROM_USER } sb_origin;

/* The names of the lists, for "@family" choices. Built by the layer that knows all lists; NULL names accept anything
 * that looks like a name (for tests of single layers). */
typedef struct {
  const char           *family; /* "scenes", "integrators", "minimizers", "linear", "drivers", "fields", … */
  const char *const    *names;
  size_t                count;
  const sb_form *const *forms; /* [count] of a family of composite values, else NULL */
  /* [count], or NULL: the options that not every name reads but this one does, "sweeps verlet_damping"; NULL: none */
  const char *const *uses;
  const char *const *defaults; /* [count], or NULL: "option=value …" that replace the table's with a name; NULL: none */
  const bool        *of_particles; /* [count] of drivers, or NULL: which measure particles, while others measure nets */
  const bool        *still;        /* [count] of drivers: true if it computes one state; may be NULL */
} sb_family;

/* The options that choose from a family of which some names read an option; none: all cases read it. */
enum { SB_SELECTORS_MAX = 7 };
typedef struct {
  size_t       count;
  sb_option_id by[SB_SELECTORS_MAX];
} sb_selectors;

typedef struct {
  const sb_family    *families;
  size_t              count;
  const sb_selectors *selectors; /* [SB_OPT_COUNT] sb_option_selectors, known beforehand, or NULL */
} sb_vocabulary;

typedef struct sb_options sb_options;

const sb_option *sb_option_at(sb_option_id id);
/* SB_OPT_COUNT when there is none of that name. */
sb_option_id sb_option_find(const char *name);
/* False when the option takes names and `text` is none of them; *near is then the nearest, malloc'ed, or NULL. A NULL
 * vocabulary allows everything. */
bool sb_option_may_be(sb_option_id id, const sb_vocabulary *vocabulary, const char *text, char **near);
/* Whether a word may stand where it takes a number: "auto|(0,2)". */
bool sb_option_takes_word(sb_option_id id);
/* The nearest option name, or NULL. */
const char *sb_option_nearest(const char *name);
const char *sb_option_kind_name(sb_option_kind kind); /* "integer", "real", … */

/* A set holding the table's defaults. `vocabulary` is borrowed, may be NULL. NULL when memory is out. */
sb_options *sb_options_create(const sb_vocabulary *vocabulary);
sb_options *sb_options_copy(const sb_options *options);
/* A copy with these "option=value" on top, NULL behind the last, as a scene would give them. A pair that is no good is
 * a bug (assert). */
sb_options *sb_options_with(const sb_options *options, const char *const *pairs);
void        sb_options_destroy(sb_options **options);
/* Leaves a set (NULL: nothing) to an arena, which destroys it with itself. Gives the set back. */
sb_options          *sb_options_keep(sb_options *options, sb_arena *arena);
const sb_vocabulary *sb_options_vocabulary(const sb_options *options);

/* Sets one option from text. False and a diagnostic (E101–E106) when the text is not a value of it. */
bool sb_options_set(sb_options *options, sb_option_id id, const char *text, sb_origin origin, sb_location where,
                    sb_diagnostics *diagnostics);
/* The same for `name=value`; an unknown name is E101 with a suggestion. */
bool sb_options_set_pair(sb_options *options, const char *pair, sb_origin origin, sb_location where,
                         sb_diagnostics *diagnostics);
void sb_options_unset(sb_options *options, sb_option_id id);

bool        sb_options_has(const sb_options *options, sb_option_id id); /* has a value, whoever gave it */
sb_origin   sb_options_origin(const sb_options *options, sb_option_id id);
sb_location sb_options_location(const sb_options *options, sb_option_id id); /* of the value the user gave */
/* The place to blame for an option: where the user gave it, else where they chose the scene. */
sb_location sb_options_blame(const sb_options *options, sb_option_id id);

/* The items of a COMPOSITE, borrowed; *count 0 when it is none or unset, or the set has no vocabulary. */
const sb_composite *sb_options_composites(const sb_options *options, sb_option_id id, size_t *count);

/* Typed reads. Asking for a value that is not there or of another kind is a bug (assert). */
bool          sb_options_flag(const sb_options *options, sb_option_id id);
int64_t       sb_options_integer(const sb_options *options, sb_option_id id);
double        sb_options_real(const sb_options *options, sb_option_id id);
const double *sb_options_vector(const sb_options *options, sb_option_id id); /* [3] */
/* Canonical text of any kind: numbers in the shortest form that reads back to the same bits. "" when unset. */
const char *sb_options_text(const sb_options *options, sb_option_id id);
/* The numbers of a SELECTION that is a list, ranges expanded, in the order given: *count of them, malloc'ed into
 * *numbers (caller frees). False, with *count 0, when it is a name or unset. */
bool sb_options_numbers(const sb_options *options, sb_option_id id, size_t *count, int64_t **numbers);

/* What a case reads. A name of a family (an integrator, a driver, …) has options of its own, its `uses`: they are read
 * where it is chosen by an option that is itself read. What no name has as its own, all cases read. */
bool sb_options_read(const sb_options *options, sb_option_id id);
/* What to choose so that the case reads an option that it does not read: "integrator=implicit_euler, or
 * driver=statics". Malloc'ed. */
char *sb_options_readers(const sb_options *options, sb_option_id id);
/* The defaults of the name that a case chooses by `selector`: "option=value …", "" where it has none. */
const char  *sb_options_defaults(const sb_options *options, sb_option_id selector);
sb_selectors sb_option_selectors(sb_option_id id, const sb_vocabulary *vocabulary);
/* Whether some cases may not read it. */
bool sb_option_is_owned(sb_option_id id, const sb_vocabulary *vocabulary);

#define SB_FLAG(options, name)              sb_options_flag((options), SB_OPT_##name)
#define SB_INTEGER(options, name)           sb_options_integer((options), SB_OPT_##name)
#define SB_REAL(options, name)              sb_options_real((options), SB_OPT_##name)
#define SB_VECTOR(options, name)            sb_options_vector((options), SB_OPT_##name)
#define SB_TEXT(options, name)              sb_options_text((options), SB_OPT_##name)
#define SB_HAS(options, name)               sb_options_has((options), SB_OPT_##name)
#define SB_COMPOSITES(options, name, count) sb_options_composites((options), SB_OPT_##name, (count))
#define SB_IS(options, name, choice)        (strcmp(sb_options_text((options), SB_OPT_##name), (choice)) == 0)
