#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks and measures explicit steps on a card, in a folder that needs a C compiler, CMake and OpenCL, but no PETSc:
#
#   tests/device/card/card.sh OUT CASES [DEVICE [LARGEST-SIDE [SECONDS-PER-BATCH]]]
#
# CASES has the nets that `SB_WRITE_CASES=CASES test_device` made with device=none. OUT gets the rows and the provenance.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
out=$1 cases=$2 device=${3:-opencl} largest=${4:-2000} seconds=${5:-0.02}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$out"
cmake -S "$root/tests/device/card" -B "$build" -DCMAKE_BUILD_TYPE=Release >"$out/build.log" 2>&1
cmake --build "$build" -j "$(nproc)" >>"$out/build.log" 2>&1
status=0
"$build/card" "$out" "$device" "$largest" "$seconds" "$cases"/* 2>&1 | tee "$out/card.log" || status=$?
{
  echo "date $(date -u +%FT%TZ)"
  echo "compiler $(cc --version | head -1)"
  echo "processor $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader 2>/dev/null |
    sed 's/^/nvidia-smi /' || true
} >>"$out/provenance.txt"
exit "$status"
