/* The functions of expressions: of each value (sqrt log exp abs), and of all values (min max median mean count slope),
 * which skip blanks. slope(y, x) is that of the least-squares line, sum (x - x̄)(y - ȳ) / sum (x - x̄)². */
#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "harness/sweep/expression_tree.h"

typedef struct {
  const char *name;
  size_t      arguments_min, arguments_max;
  double (*of_each)(double);
  double (*of_all)(double *numbers, size_t count); /* count > 0; may reorder them */
} function_entry;

static double least(double *numbers, size_t count)
{
  double result = numbers[0];
  for (size_t i = 1; i < count; ++i) result = fmin(result, numbers[i]);
  return result;
}

static double greatest(double *numbers, size_t count)
{
  double result = numbers[0];
  for (size_t i = 1; i < count; ++i) result = fmax(result, numbers[i]);
  return result;
}

static double mean(double *numbers, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += numbers[i];
  return sum / (double)count;
}

static int compare_numbers(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *numbers, size_t count)
{
  qsort(numbers, count, sizeof *numbers, compare_numbers);
  return 0.5 * (numbers[(count - 1) / 2] + numbers[count / 2]);
}

static const function_entry table[] = {
    {"sqrt", 1, 1, sqrt, NULL},      {"log", 1, 1, log, NULL},    {"exp", 1, 1, exp, NULL},
    {"abs", 1, 1, fabs, NULL},       {"min", 1, 16, NULL, least}, {"max", 1, 16, NULL, greatest},
    {"median", 1, 16, NULL, median}, {"mean", 1, 16, NULL, mean}, {"count", 1, 16, NULL, NULL},
    {"slope", 2, 2, NULL, NULL},
};
enum { COUNT_FUNCTION = 8, SLOPE_FUNCTION = 9 };

sb_value sb_number_or_blank(double number)
{
  return isfinite(number) ? (sb_value){.kind = SB_NUMBER, .number = number} : (sb_value){.kind = SB_BLANK};
}

size_t sb_function_count(void) { return sizeof table / sizeof *table; }

const char *sb_function_name(size_t function) { return table[function].name; }

size_t sb_function_arguments_min(size_t function) { return table[function].arguments_min; }

size_t sb_function_arguments_max(size_t function) { return table[function].arguments_max; }

static bool require_number(size_t function, const sb_value *value, char *error)
{
  if (value->kind == SB_NUMBER || value->kind == SB_BLANK) return true;
  if (value->kind == SB_TRUTH) return sb_expression_fail(error, "%s() of a truth value", table[function].name);
  return sb_expression_fail(error, "%s() of the word '%.64s', which is neither a number nor a column of these results",
                            table[function].name, value->word);
}

static bool apply_to_each(size_t function, const sb_values *argument, sb_values *result, char *error)
{
  for (size_t i = 0; i < argument->count; ++i)
    if (!require_number(function, &argument->items[i], error)) return false;
  *result = sb_values_create(argument->count, argument->spread);
  for (size_t i = 0; i < argument->count; ++i)
    if (argument->items[i].kind == SB_NUMBER)
      result->items[i] = sb_number_or_blank(table[function].of_each(argument->items[i].number));
  return true;
}

/* The numbers among all arguments, blanks left out; malloc'ed. NULL after a message. */
static double *gather(size_t function, const sb_values *arguments, size_t count, size_t *found, char *error)
{
  size_t total = 0;
  for (size_t a = 0; a < count; ++a) total += arguments[a].count;
  double *numbers = sb_allocate(total, sizeof *numbers);
  *found = 0;
  for (size_t a = 0; a < count; ++a)
    for (size_t i = 0; i < arguments[a].count; ++i) {
      const sb_value *value = &arguments[a].items[i];
      if (!require_number(function, value, error)) {
        free(numbers);
        return NULL;
      }
      if (value->kind == SB_NUMBER) numbers[(*found)++] = value->number;
    }
  return numbers;
}

static bool apply_to_all(size_t function, const sb_values *arguments, size_t count, sb_values *result, char *error)
{
  size_t  found = 0;
  double *numbers = gather(function, arguments, count, &found, error);
  if (!numbers) return false;
  *result = sb_values_create(1, false);
  if (found > 0) result->items[0] = sb_number_or_blank(table[function].of_all(numbers, found));
  free(numbers);
  return true;
}

/* Counts whatever is there, words too. */
static bool apply_count(const sb_values *arguments, size_t count, sb_values *result)
{
  size_t found = 0;
  for (size_t a = 0; a < count; ++a)
    for (size_t i = 0; i < arguments[a].count; ++i) found += arguments[a].items[i].kind != SB_BLANK;
  *result = sb_values_create(1, false);
  result->items[0] = sb_number_or_blank((double)found);
  return true;
}

static bool both_there(const sb_values *y, const sb_values *x, size_t i)
{
  return y->items[i].kind == SB_NUMBER && x->items[i].kind == SB_NUMBER;
}

static bool apply_slope(const sb_values *y, const sb_values *x, sb_values *result, char *error)
{
  if (!y->spread || !x->spread || y->count != x->count)
    return sb_expression_fail(error, "slope(y, x) takes two columns");
  double n = 0, x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < y->count; ++i) {
    if (!require_number(SLOPE_FUNCTION, &y->items[i], error) || !require_number(SLOPE_FUNCTION, &x->items[i], error))
      return false;
    if (!both_there(y, x, i)) continue;
    n += 1;
    x_mean += x->items[i].number;
    y_mean += y->items[i].number;
  }
  x_mean /= n;
  y_mean /= n;
  for (size_t i = 0; i < y->count; ++i) {
    if (!both_there(y, x, i)) continue;
    xx += (x->items[i].number - x_mean) * (x->items[i].number - x_mean);
    xy += (x->items[i].number - x_mean) * (y->items[i].number - y_mean);
  }
  if (!(xx > 0)) return sb_expression_fail(error, "slope() needs two rows with different values; has %g with any", n);
  *result = sb_values_create(1, false);
  result->items[0] = sb_number_or_blank(xy / xx);
  return true;
}

bool sb_function_apply(size_t function, const sb_values *arguments, size_t count, sb_values *result, char *error)
{
  if (table[function].of_each) return apply_to_each(function, &arguments[0], result, error);
  if (table[function].of_all) return apply_to_all(function, arguments, count, result, error);
  if (function == COUNT_FUNCTION) return apply_count(arguments, count, result);
  return apply_slope(&arguments[0], &arguments[1], result, error);
}
