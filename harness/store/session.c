/* Sessions; see session.h. */
#include "harness/store/session.h"

sb_session sb_session_begin(const sb_vocabulary *vocabulary, const sb_driver_list *drivers)
{
  return (sb_session){sb_arena_create(), vocabulary, drivers, sb_diagnostics_create()};
}

bool sb_session_end(sb_session *session, FILE *stream)
{
  const bool good = sb_diagnostics_errors(session->diagnostics) == 0;
  if (stream) sb_diagnostics_flush(session->diagnostics, stream);
  sb_arena_destroy(&session->arena);
  sb_diagnostics_destroy(&session->diagnostics);
  return good;
}
