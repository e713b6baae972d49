#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Links a program without some of its libraries: link_light.sh COMMAND..., where COMMAND ... -o PROGRAM ... links without
# them, and PROGRAM-cases is the same program linked with them. The linker says which symbols are missing. PROGRAM.absent.c
# gets a function for each that calls sb_absent with its name, or for data of a library, an array of pointers to such a
# function. It also gets the build id of PROGRAM-cases (cases/common/full_program.c).
set -e
before=
for word; do
  if [ "$before" = -o ]; then program=$word; fi
  before=$word
done
absent=$program.absent
LC_ALL=C "$@" -Wl,--warn-unresolved-symbols,--no-demangle 2>&1 |
  sed -n "s/.*undefined reference to [\`']\\([A-Za-z0-9_]*\\)'.*/\\1/p; s/.*undefined symbol: \\([A-Za-z0-9_]*\\)$/\\1/p" |
  sort -u >"$absent.missing"
ldd "$program-cases" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | xargs nm -D --defined-only |
  sed -n 's/.* [BDRV] \([A-Za-z0-9_]*\).*/\1/p' | sort -u >"$absent.data"
id=$(LC_ALL=C readelf -n "$program-cases" | sed -n 's/.*Build ID: *//p')
{
  echo "const unsigned char sb_full_build[20] = {$(echo "$id" | sed 's/../0x&,/g')};"
  echo '_Noreturn void sb_absent(const char *symbol);'
  comm -23 "$absent.missing" "$absent.data" | sed 's/.*/void &(void) { sb_absent("&"); }/'
  comm -12 "$absent.missing" "$absent.data" |
    sed 's/.*/static void of_&(void) { sb_absent("&"); } void (*const &[64])(void) = {[0 ... 63] = of_&};/'
} >"$absent.c"
"$1" -x c -fPIC -O1 -c "$absent.c" -o "$absent.o"
exec "$@" "$absent.o"
