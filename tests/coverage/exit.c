/* Counts of a process that leaves by _exit, as the `case` processes do on purpose: gcov writes its counters in an exit
 * handler, which _exit passes over. Linked with --wrap=_exit, in the coverage build alone. */
#include <stdlib.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

_Noreturn void __wrap__exit(int status)
{
  __gcov_dump();
  __real__exit(status);
}
