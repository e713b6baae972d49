/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of linear backends, from backends.def. */
#include "base/springbench_plugin.h"
#include "base/words.h"
#include "solvers/linear/petsc_flops.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/petsc_text.h"

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_linear_##name.entry,
#include "solvers/linear/backends.def"
#undef SB_ENTRY
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_linear_backend *backend = (const void *)entry;
  const unsigned           traits = backend->traits;
  const bool               takes_presets = sb_has_word(backend->uses, "petsc");
  sb_describe_claim(d, traits & SB_DIRECT, "direct: no iterations");
  sb_describe_claim(d, traits & SB_SERIAL_ONLY, "one rank only");
  sb_describe_claim(d, traits & SB_NEEDS_SPD, "needs a symmetric positive definite matrix");
  sb_describe_claim(d, traits & SB_DETECTS_INDEFINITE, "detects a matrix that is not positive definite");
  sb_describe_claim(d, backend->claims & SB_PLUGIN_IN_PYTHON, "a class of Python: its times are not those of C");
  sb_describe_claim(d, traits & SB_COUNTED && !takes_presets, "its operations are counted");
  sb_describe_claim(d, !(traits & SB_COUNTED), "its operations are not counted: work is unknown");
  sb_describe_claim(d, takes_presets,
                    "operations are counted, except those of hypre and other libraries (CHOLMOD's, and MUMPS's under "
                    "-ksp_type preonly, are counted), of factors of block matrices, and of preconditioners that are "
                    "not among %s",
                    SB_PETSC_COUNTED);
  sb_describe_claim(d, takes_presets,
                    "a case that is stopped on its way continues with common methods; with others, and with multigrid "
                    "if the matrix changes, it starts again");
  if (backend->missing) sb_describe_claim(d, true, "not in this build: %s", backend->missing);
  if (!takes_presets) sb_describe_words(d, "presets", NULL);
  for (size_t i = 0; takes_presets && i < sb_petsc_preset_count(); ++i) {
    const sb_petsc_preset *preset = sb_petsc_preset_at(i);
    SB_DESCRIBE_ROW(d, "presets", "name", preset->name, "options", preset->text, "sentence", preset->summary);
  }
}

const sb_list sb_linear_backends = {
    .family = "linear",
    .title = "Linear solver backends",
    .about = "Named by option `linear`, inside a minimiser. Every solution is checked by its recomputed residual.",
    SB_LIST_ENTRIES(entries),
    .describe = describe,
};
