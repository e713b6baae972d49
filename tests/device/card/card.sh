#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests methods on a card, times steps and races them, by a bundle of bundle.sh, on a machine that is lent for minutes:
#
#   tests/device/card/card.sh BUNDLE.tar.xz OUT [SECONDS [FILTER...]]
#
# A third of the SECONDS is for test_device, which compares the bits of all methods with those of one core, a fifth for
# the sweep device_step. Then each case of device_race for which a FILTER holds runs. Cases run once, one after the other
# in the order of the plan, where `run` would time them again on a noisy machine. OUT gets the results directories
# OUT/device_step and OUT/device_race, logs and the provenance. The same command again goes on. OUT/motions keeps the
# motions of the reference, which take minutes on large nets.
set -euo pipefail
bundle=$(readlink -f "$1") out=$2 seconds=${3:-400}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- 'grid <= 80' 'grid == 160' 'grid == 320 and device == opencl' 'grid == 320 and device == none'
mkdir -p "$out"/{cases/device_step,cases/device_race,motions} && cd "$out"
[ -d bundle ] || tar xf "$bundle"
start=$PWD/bundle/start.sh
{
  date -u '+date %FT%TZ'
  "$start" springbench list devices
  echo "processor $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc)"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader 2>/dev/null || true
} >provenance.txt
began=$(date +%s)
HWLOC_COMPONENTS=-opencl timeout "$((seconds / 3))" "$start" test_device >test_device.log 2>&1 ||
  echo "test_device: status $?, see $PWD/test_device.log"

# Runs the cases of sweep $1 for which the expressions from $3 on hold, until $2 seconds after the start.
run_sweep() {
  local sweep=bundle/share/springbench/experiments/devices/$1.yaml name=$1 end=$((began + $2)) line file left
  for filter in "${@:3}"; do
    while read -r line; do
      file=${line##* -o } left=$((end - $(date +%s)))
      if [ -f "cases/$name/$file" ] || [ "$left" -le 0 ]; then continue; fi
      (cd "cases/$name" && timeout "$left" "$start" sh -c "$line --shared=../../motions") >>"$name.log" 2>&1 </dev/null ||
        echo "status $? of $line"
    done < <("$start" springbench plan "$sweep" -f "$filter" --format commands)
  done
  "$start" springbench collect "$sweep" -o "$name" "cases/$name" | tail -3 || true # cases are missing, or gnuplot
}
run_sweep device_step "$((seconds * 8 / 15))" 'method in [device, single, core]' 'method in [threads, host]'
run_sweep device_race "$seconds" "$@"
