/* Fields of comma-separated files by RFC 4180. Local. */
#pragma once

#include <stdio.h>

/* Quoted where a comma, a quote or a line break makes it necessary; nothing for NULL. */
void sb_csv_put(FILE *stream, const char *text);
