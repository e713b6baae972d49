/* Text for LaTeX. Inside the report room only. Local; no PETSc. */
#pragma once

#include <stdio.h>

/* Text in LaTeX: what it would take for markup is escaped, and what its standard fonts lack gets its command; unknown
 * characters become question marks. */
void sb_text_put_latex(FILE *stream, const char *text);
