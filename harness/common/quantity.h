/* Limits as people write them: "90s", "2m", "1.5h", "512M", "4G". Local; the same in every locale. */
#pragma once

#include <stdbool.h>

/* Seconds, from a positive number with one of s, m, h, d behind it, or none for seconds. */
bool sb_parse_duration(const char *text, double *seconds);
/* Bytes, from a positive number with one of K, M, G, T behind it (powers of 1024), or none for bytes. */
bool sb_parse_bytes(const char *text, double *bytes);
