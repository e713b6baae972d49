/* Text for LaTeX. Inside the report room only. Local; no PETSc. */
#pragma once

#include <stdio.h>

#include "harness/report/table.h"

/* Text in LaTeX: what it would take for markup is escaped, and what its standard fonts lack gets its command; unknown
 * characters become question marks. */
void sb_text_put_latex(FILE *stream, const char *text);

/* A table for \input, with its caption. It needs \usepackage{booktabs,graphicx} (inputenc's UTF-8 is the default since
 * 2018); TeX itself makes a table smaller that is wider than a line. Behind every line stands its comment. */
void sb_table_print_latex(const sb_table *table, FILE *stream);
