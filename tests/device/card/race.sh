#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests methods on a card and races them, by a bundle of bundle.sh, on a machine that is lent for some minutes:
#
#   tests/device/card/race.sh BUNDLE.tar.xz OUT [SECONDS [FILTER...]]
#
# A third of the SECONDS is for test_device. Then each case of device_race for which a FILTER holds runs once, one after
# the other in the order of the plan, as `run` would time it again where the machine is noisy. OUT gets the results
# directory OUT/race, logs and the provenance. The same command again goes on. OUT/motions keeps the motions of the
# reference, which take minutes on large nets.
set -euo pipefail
bundle=$(readlink -f "$1") out=$2 seconds=${3:-400}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- 'grid <= 80' 'grid == 160' 'grid == 320 and device == opencl' 'grid == 320 and device == none'
mkdir -p "$out"/{cases,motions} && cd "$out"
[ -d bundle ] || tar xf "$bundle"
start=$PWD/bundle/start.sh sweep=bundle/share/springbench/experiments/devices/device_race.yaml
{
  date -u '+date %FT%TZ'
  "$start" springbench list devices
  echo "processor $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc)"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader 2>/dev/null || true
} >provenance.txt
HWLOC_COMPONENTS=-opencl timeout "$((seconds / 3))" "$start" test_device >test_device.log 2>&1 ||
  echo "test_device: status $?, see $PWD/test_device.log"

end=$(($(date +%s) + 2 * seconds / 3))
for filter in "$@"; do
  while read -r line; do
    file=${line##* -o } left=$((end - $(date +%s)))
    if [ -f "cases/$file" ] || [ "$left" -le 0 ]; then continue; fi
    (cd cases && timeout "$left" "$start" sh -c "$line --shared=../motions") >>cases.log 2>&1 </dev/null ||
      echo "status $? of $line"
  done < <("$start" springbench plan "$sweep" -f "$filter" --format commands)
done
"$start" springbench collect "$sweep" -o race cases | tail -3
