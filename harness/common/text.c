/* Numbers, Markdown, names of files; see text.h. */
#include "harness/common/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/number.h"

bool sb_report_error(char *error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error, SB_ERROR_SIZE, format, arguments);
  va_end(arguments);
  return false;
}

/* printf writes at least two digits of an exponent: 1.2e-07 -> 1.2e-7. */
static void shorten_exponent(char *text)
{
  char *e = strchr(text, 'e');
  if (!e) return;
  char *to = e + 1, *from = e + 1;
  if (*from == '-')
    *to++ = *from++;
  else if (*from == '+')
    from++;
  while (*from == '0' && from[1] != '\0') from++;
  memmove(to, from, strlen(from) + 1);
}

char *sb_text_rounded(double number, int digits)
{
  if (!isfinite(number)) return sb_format("%s", isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
  if (number == 0) return sb_format("0");
  char scientific[64];
  snprintf(scientific, sizeof scientific, "%.*e", digits - 1, number);
  const double rounded = strtod(scientific, NULL);
  const int    power = atoi(strchr(scientific, 'e') + 1);
  if (power >= -4 && power < 7) return sb_format("%.*f", digits - 1 > power ? digits - 1 - power : 0, rounded);
  shorten_exponent(scientific);
  return sb_format("%s", scientific);
}

char *sb_text_exact(double number)
{
  if (fabs(number) < 1e15 && number == floor(number)) return sb_format("%.0f", number + 0.0);
  char buffer[32];
  return sb_format("%s", sb_format_real(number, buffer));
}

/* The end of a conversion such as "%-8.3g" of one double that starts at `text`, NULL when it is another one. */
static const char *conversion_end(const char *text)
{
  text++;
  text += strspn(text, "-+ #0");
  const size_t width = strspn(text, "0123456789");
  text += width;
  size_t precision = 0;
  if (*text == '.') {
    text++;
    precision = strspn(text, "0123456789");
    text += precision;
  }
  if (width > 2 || precision > 2) return NULL;
  return *text != '\0' && strchr("eEfFgG", *text) ? text + 1 : NULL;
}

bool sb_text_is_number_format(const char *format)
{
  int conversions = 0;
  if (strlen(format) > 64) return false;
  while (*format != '\0') {
    if (*format != '%')
      format++;
    else if (format[1] == '%')
      format += 2;
    else if ((format = conversion_end(format)))
      conversions++;
    else
      return false;
  }
  return conversions == 1;
}

/* An underscore inside a word is not markup. */
void sb_text_put_markdown(FILE *stream, const char *text)
{
  for (const char *c = text; *c; ++c) {
    const bool inside = c > text && isalnum((unsigned char)c[-1]) && isalnum((unsigned char)c[1]);
    if (strchr("\\|`*[]<>$#", *c) || (*c == '_' && !inside)) fputc('\\', stream);
    fputc((unsigned char)*c < 0x20 ? ' ' : *c, stream);
  }
}

void sb_text_put_word(FILE *stream, const char *text)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+:,./@%-";
  if (*text != '\0' && text[strspn(text, plain)] == '\0') {
    fputs(text, stream);
    return;
  }
  fputc('\'', stream);
  for (; *text; ++text)
    if (*text == '\'')
      fputs("'\\''", stream);
    else
      fputc(*text, stream);
  fputc('\'', stream);
}

char *sb_text_next_word(const char **line)
{
  const char *c = *line + strspn(*line, " ");
  char       *word = NULL, *end;
  bool        quoted = false;
  if (*c != '\0') {
    word = end = sb_copy_text(c); /* what is read of it is never longer */
    for (; *c && (quoted || *c != ' '); ++c) {
      if (*c == '\'')
        quoted = !quoted;
      else
        *end++ = !quoted && *c == '\\' && c[1] ? *++c : *c;
    }
    *end = '\0';
  }
  *line = c;
  return word;
}

bool sb_text_is_safe_name(const char *name)
{
  const size_t length = strlen(name);
  if (length == 0 || length > 64 || name[0] == '.' || name[0] == '-') return false;
  for (size_t i = 0; i < length; ++i)
    if (!isalnum((unsigned char)name[i]) && !strchr("._+-", name[i])) return false;
  return true;
}
