/* See driver.h. */
#include "harness/store/driver.h"

#include <string.h>

const sb_driver *sb_driver_find(const sb_driver_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->drivers[i]->name, name) == 0) return list->drivers[i];
  return NULL;
}
