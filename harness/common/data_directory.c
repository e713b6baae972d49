/* Finding plots/ and results/published/; see data_directory.h. */
#include "harness/common/durable.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/text.h"

char *sb_data_directory(const char *folder)
{
  const char *chosen = getenv("SPRINGBENCH_DATA");
  if (chosen && *chosen) return sb_format("%s/%s", chosen, folder);
  char *source = sb_format("%s/%s", SB_SOURCE_DIR, folder);
  if (access(source, R_OK | X_OK) == 0) return source;
  free(source);
  return sb_format("%s/%s", SB_DATA_DIR, folder);
}
