#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests and races methods on a machine with a card, by a bundle of bundle.sh, within some minutes:
#
#   tests/device/card/race.sh BUNDLE.tar.xz OUT [STAGE...]
#
# The stages: test, small (nets to 161x161), large (321x321), cores (methods of a processor on all of its cores), step,
# single. OUT gets logs, the provenance and the results directories; the same command again goes on. A folder
# OUT/motions may have motions of the reference (of `case --shared`), which else take minutes on large nets.
set -euo pipefail
bundle=$(readlink -f "$1") out=$2
shift 2
mkdir -p "$out" && cd "$out"
[ -d bundle ] || tar xf "$bundle"
cores=$(nproc)

# run SWEEP NAME OPTION...: a part of a sweep; a run deletes the motions that it used.
run() {
  local sweep=$1 name=$2
  shift 2
  mkdir -p "$name/tmp"
  cp motions/*.motion "$name/tmp/" 2>/dev/null || true
  bundle/start.sh springbench run "bundle/share/springbench/experiments/devices/$sweep.yaml" -o "$name" -v "$@" 2>&1 |
    tee -a "$name.log" || echo "$sweep $*: status $?"
}

[ $# -gt 0 ] || set -- test small large cores step single
for stage in "$@"; do
  echo "== $stage at $(date -u +%T)"
  case $stage in
    test) HWLOC_COMPONENTS=-opencl bundle/start.sh test_device 2>&1 | tee test_device.log || true ;;
    small) run device_race device_race -f 'grid <= 160' ;;
    large) run device_race device_race -f 'grid == 320' ;;
    cores)
      run device_race device_race_cores -p "threads=$cores" \
        -f 'grid >= 160 and method in [newton, newton_cg, chebyshev, ncg, vbd_colours]'
      ;;
    step) run device_step device_step -f 'method in [core, device, single]' ;;
    single)
      run device_race device_race_single -p precision=single \
        -f 'method in [newton_cg_device, vbd_device, ncg_device, wang_device]'
      ;;
    *) echo "race.sh: no stage '$stage'" >&2 && exit 2 ;;
  esac
done

{
  echo "date $(date -u +%FT%TZ)"
  bundle/start.sh springbench list devices
  echo "processor $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $cores"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader 2>/dev/null || true
} >provenance.txt
