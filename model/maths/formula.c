/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas by muParser, evaluated in bulk; see formula.h.
 *
 * muParser's messages are a bare token, so reasons are written here from its error codes (muParserError.h, 2.x).
 * Features beyond arithmetic (assignments, strings, several results) are refused before or after it parses. The numbers
 * of a formula are always read in the C locale: muParser has its own locale. */
#include "model/maths/formula.h"

#include <assert.h>
#include <limits.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to this many points are evaluated one by one. A call in bulk compiles the formula again, which costs as much as
 * about 500 points, and starts threads, which are of no use to small arrays and to programs that fork. */
enum { SINGLY_MAX = 512 };

enum {
  LENGTH_MAX = 1000,
  UNKNOWN_NAME = 1,
  ENDS_EARLY = 2,
  NOT_CLOSED = 11,
  TOO_MANY = 14,
  TOO_FEW = 15,
  NO_ELSE = 33
};

struct sb_formula {
  muParserHandle_t parser;
  char            *name[SB_FORMULA_VARIABLES_MAX];
  const double    *bound[SB_FORMULA_VARIABLES_MAX]; /* the array that a variable refers to now */
  size_t           count;
  double           slot[SB_FORMULA_VARIABLES_MAX]; /* one value of each, where points are taken singly */
};

/* Prevents muParser from handling errors itself; the flag that it sets is read afterwards. */
static void on_error(muParserHandle_t parser) { (void)parser; }

static bool check_characters(const char *text, char *why, size_t size)
{
  const size_t good = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ .,+-*/^()<>=!&|?:");
  if (text[strspn(text, " ")] == '\0') {
    snprintf(why, size, "the formula is empty");
  } else if (text[good] != '\0') {
    snprintf(why, size, "character %zu of '%.80s' is not allowed in a formula", good + 1, text);
  } else if (strlen(text) > LENGTH_MAX) {
    snprintf(why, size, "the formula has %zu characters (at most %d)", strlen(text), (int)LENGTH_MAX);
  } else {
    return true;
  }
  return false;
}

static bool check_assignments(const char *text, char *why, size_t size)
{
  for (const char *c = strchr(text, '='); c; c = strchr(c + 1, '=')) {
    if (c[1] == '=')
      ++c;
    else if (c == text || !strchr("<>!", c[-1])) {
      snprintf(why, size, "'=' at character %td of '%.80s' is an assignment; equality is ==", c - text + 1, text);
      return false;
    }
  }
  return true;
}

/* Never written to: there are no assignments. */
static void bind(sb_formula *formula, size_t variable, const double *array)
{
  if (formula->bound[variable] == array) return;
  formula->bound[variable] = array;
  mupDefineBulkVar(formula->parser, formula->name[variable], (double *)array);
}

static void list_names(const sb_formula *formula, char *list, size_t size)
{
  size_t length = 0;
  *list = '\0';
  for (size_t i = 0; i < formula->count && length < size; ++i)
    length += (size_t)snprintf(list + length, size - length, "%s%s", i ? ", " : "", formula->name[i]);
}

/* Writes muParser's reason against the text. Its tokens may reach to the end of the text. */
static void explain(const sb_formula *formula, const char *text, char *why, size_t size)
{
  muParserHandle_t parser = formula->parser;
  const muChar_t  *token = mupGetErrorToken(parser);
  const int        position = mupGetErrorPos(parser);
  const size_t     length = strcspn(token, " "), shown = length < 40 ? length : 40;
  char             names[80];
  list_names(formula, names, sizeof names);
  switch (mupGetErrorCode(parser)) {
  case UNKNOWN_NAME:
    snprintf(why, size, "'%.*s' at character %d of '%.80s' is not a number, variable (%s), function or operator",
             (int)shown, token, position + 1, text, names);
    break;
  case TOO_MANY:
  case TOO_FEW:
    snprintf(why, size, "too %s arguments of %.*s in '%.80s'", mupGetErrorCode(parser) == TOO_MANY ? "many" : "few",
             (int)shown, token, text);
    break;
  case NOT_CLOSED:
    snprintf(why, size, "a parenthesis of '%.80s' is not closed", text);
    break;
  case NO_ELSE:
    snprintf(why, size, "a '?' of '%.80s' lacks its ':'", text);
    break;
  case ENDS_EARLY:
    snprintf(why, size, "'%.80s' ends too early", text);
    break;
  default:
    if (position >= 0 && shown > 0)
      snprintf(why, size, "'%.*s' near character %d of '%.80s' is not expected there", (int)shown, token, position + 1,
               text);
    else
      snprintf(why, size, "'%.80s' cannot be understood", text);
  }
}

/* The library's own _pi is 8e-13 off. */
static void define_constants(muParserHandle_t parser)
{
  mupClearConst(parser);
  mupDefineConst(parser, "_pi", 3.14159265358979323846);
  mupDefineConst(parser, "_e", 2.71828182845904523536);
}

/* Compiles by evaluating once, at zero. */
static bool compile(sb_formula *formula, const char *text, char *why, size_t size)
{
  int results = 0;
  mupSetExpr(formula->parser, text);
  if (!mupError(formula->parser)) mupEvalMulti(formula->parser, &results);
  if (mupError(formula->parser)) {
    explain(formula, text, why, size);
    return false;
  }
  if (results == 1) return true;
  snprintf(why, size, "'%.80s' is %d formulas; a comma may only separate arguments", text, results);
  return false;
}

sb_formula *sb_formula_create(const char *text, const char *const *variables, size_t count, char *why, size_t size)
{
  assert(count <= SB_FORMULA_VARIABLES_MAX);
  if (!check_characters(text, why, size) || !check_assignments(text, why, size)) return NULL;
  sb_formula *formula = calloc(1, sizeof *formula);
  bool        good = formula && (formula->parser = mupCreate(muBASETYPE_FLOAT)) != NULL;
  if (good) {
    mupSetErrorHandler(formula->parser, on_error);
    define_constants(formula->parser);
  }
  for (size_t i = 0; good && i < count; ++i) {
    formula->name[formula->count++] = strdup(variables[i]);
    good = formula->name[i] != NULL;
    if (good) bind(formula, i, &formula->slot[i]);
  }
  if (!good) snprintf(why, size, "out of memory");
  if (good && compile(formula, text, why, size)) return formula;
  sb_formula_destroy(&formula);
  return NULL;
}

void sb_formula_destroy(sb_formula **formula)
{
  if (!*formula) return;
  if ((*formula)->parser) mupRelease((*formula)->parser);
  for (size_t i = 0; i < (*formula)->count; ++i) free((*formula)->name[i]);
  free(*formula);
  *formula = NULL;
}

static void evaluate_singly(sb_formula *formula, const double *const *argument, size_t count, double *result)
{
  for (size_t i = 0; i < formula->count; ++i) bind(formula, i, &formula->slot[i]);
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < formula->count; ++i) formula->slot[i] = argument[i][k];
    result[k] = mupEval(formula->parser);
  }
}

void sb_formula_evaluate(sb_formula *formula, const double *const *argument, size_t count, double *result)
{
  assert(count <= INT_MAX);
  if (count <= SINGLY_MAX) {
    evaluate_singly(formula, argument, count, result);
    return;
  }
  for (size_t i = 0; i < formula->count; ++i) bind(formula, i, argument[i]);
  mupEvalBulk(formula->parser, result, (int)count);
}
