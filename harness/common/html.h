/* Pieces of HTML. All text passes through sb_html_put, which leaves nothing for the browser to take for markup. Inside
 * the harness only. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Text, escaped for content and for quoted attributes; control characters but line breaks become blanks. NULL: none. */
void sb_html_put(FILE *stream, const char *text);
/* Text as part of an id and of the address that leads to it: what is not plain becomes .XX, so that different texts
 * stay different. */
void sb_html_put_id(FILE *stream, const char *text);
/* A relative address, in a quoted attribute: what is not plain is percent-encoded. */
void sb_html_put_address(FILE *stream, const char *path);

/* In base64, as RFC 4648 has it. */
void sb_html_put_base64(FILE *stream, const void *bytes, size_t size);
