/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on a simulation: their errors, and those of PETSc that they raise. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "library/simulation.h"

char *sb_sim_print(const sb_diagnostics *diagnostics)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  sb_diagnostics_print(diagnostics, stream);
  fclose(stream);
  while (length > 0 && text[length - 1] == '\n') text[--length] = '\0';
  return text;
}

sb_sim_status sb_sim_refuse(sb_sim *sim, const char *format, ...)
{
  va_list arguments;
  free(sim->error);
  sim->error = NULL;
  va_start(arguments, format);
  if (vasprintf(&sim->error, format, arguments) < 0) sim->error = NULL;
  va_end(arguments);
  return SB_SIM_REFUSED;
}

sb_sim_status sb_sim_refuse_all(sb_sim *sim, const sb_diagnostics *diagnostics)
{
  free(sim->error);
  sim->error = sb_sim_print(diagnostics);
  return SB_SIM_REFUSED;
}

static sb_sim_status fail(sb_sim *sim, PetscErrorCode code)
{
  const bool  said = sim->complaint.message[0] != '\0', users = code == PETSC_ERR_USER || code == PETSC_ERR_FILE_WRITE;
  const char *kind = NULL;
  if (!said) (void)PetscErrorMessage(code, &kind, NULL);
  sb_sim_refuse(sim, "springbench: error: %s%s",
                said   ? sim->complaint.message
                : kind ? kind
                       : "a library failed",
                users ? "" : sim->complaint.place);
  sim->failed = true;
  return SB_SIM_FAILED;
}

sb_sim_status sb_sim_perform(sb_sim *sim, PetscErrorCode (*work)(sb_sim *sim, void *context), void *context)
{
  if (!sim || sim->failed) return SB_SIM_FAILED;
  free(sim->error);
  sim->error = NULL;
  const char *ended = sb_host_ended();
  if (ended) return sb_sim_refuse(sim, "springbench: error: %s; this simulation can only be freed", ended);
  sim->complaint = (sb_complaint){0};
  PetscErrorCode code = PetscPushErrorHandler(sb_complaint_take, &sim->complaint);
  if (code) return fail(sim, code);
  code = work(sim, context);
  (void)PetscPopErrorHandler();
  return code ? fail(sim, code) : sim->error ? SB_SIM_REFUSED : SB_SIM_OK;
}

const char *sb_sim_error(const sb_sim *sim) { return sim ? sim->error : "springbench: error: out of memory"; }
