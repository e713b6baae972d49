#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzing, under ASan and UBSan, at the lowest priority: `tests/fuzz.sh [-j N] MINUTES [TARGET…]` gives each target
# (default: all) MINUTES of processor time, N targets at a time. Kept between calls, so that an hour can be gathered in
# several: the corpus build/fuzz/corpus, inputs that broke something build/fuzz/findings, and build/fuzz/log.csv.
# `tests/fuzz.sh --summary` prints the log as a table, `--missing MINUTES` the targets that have had less,
# `--minimise` puts a smallest corpus of equal coverage in place of each kept one.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=$PWD/build/fuzz slice_seconds=120 findings_most=8
readonly log_header="commit,target,cpu_minutes,executions,edges,findings"
log=$work/log.csv

all_targets() {
  sed -n 's/^SB_ENTRY(\(.*\))$/\1/p' tests/fuzz/targets.def
  sed -n 's/^SB_ENTRY(\(.*\))$/mesh_\1/p' model/mesh/mesh_formats.def
}

# Markdown, a line a target: all commits together; edges as last counted.
summary() {
  echo "| target | CPU minutes | executions | executions/s | edges | findings |"
  echo "|:---|---:|---:|---:|---:|---:|"
  [ ! -e "$log" ] || awk -F, 'NR > 1 {
      if (!($2 in time)) order[++count] = $2
      time[$2] += $3; runs[$2] += $4; edges[$2] = $5; found[$2] += $6 }
    END { for (i = 1; i <= count; ++i) { t = order[i]; printf "| %s | %.1f | %d | %.0f | %d | %d |\n", t, time[t],
      runs[t], (time[t] > 0 ? runs[t] / time[t] / 60 : 0), edges[t], found[t] } }' "$log"
}

# Targets with less than $1 CPU minutes in the log.
missing() {
  all_targets | while read -r target; do
    awk -F, -v target="$target" -v wanted="$1" 'NR > 1 && $2 == target { time += $3 }
      END { if (time < wanted) print target }' <(cat "$log" 2>/dev/null || echo "$log_header")
  done
}

build() {
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz --target fuzz_dictionary "${@/#/fuzz_}" -- --quiet
  mkdir -p "$work"
  [ -e "$log" ] || echo "$log_header" >"$log"
  export ASAN_OPTIONS=malloc_context_size=6:quarantine_size_mb=16:max_malloc_fill_size=64
  export UBSAN_OPTIONS=print_stacktrace=1
  export OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_btl=self OMPI_MCA_pml=ob1 OMPI_MCA_osc=^ucx
  export OMPI_MCA_coll=^hcoll,tuned,ucc OMPI_MCA_orte_create_session_dirs=0 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
}

# The words of the target's own file and, where they may stand in its inputs, those of the program's lists.
dictionary() {
  : >"$work/corpus/$1.dict"
  case $1 in
  options | composite | expression | sweep | plan | command | petsc)
    "$work/tests/fuzz/fuzz_dictionary" >"$work/corpus/$1.dict" ;;
  esac
  [ ! -e "tests/fuzz/$1.dict" ] || cat "tests/fuzz/$1.dict" >>"$work/corpus/$1.dict"
}

# kept: the folder of a target's kept inputs, none where it has none.
find_kept() { mapfile -t kept < <(find "$PWD/tests/fuzz/corpus/$1" -maxdepth 0 2>/dev/null); }

# One slice of a target: prints its CPU seconds, executions, edges, and 1 where it broke; what it said is in TARGET.txt.
slice() {
  local target=$1 seconds=$2 said=$work/corpus/$1.txt times words=() kept
  [ ! -s "$work/corpus/$target.dict" ] || words=("-dict=$work/corpus/$target.dict")
  find_kept "$target"
  times=$({ TIMEFORMAT="%U %S"
    time nice -n 19 "$work/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=300 -rss_limit_mb=3072 \
      -max_len=65536 -close_fd_mask=1 -print_final_stats=1 "${words[@]}" \
      "-artifact_prefix=$work/findings/$target/" "$work/corpus/$target" "${kept[@]}" >"$said" 2>&1 ||
      true; } 2>&1)
  awk -v times="$times" '/^stat::number_of_executed_units:/ { runs = $2 }
    / cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") edges = $(i + 1) }
    /^SUMMARY: / { broke = 1 }
    END { split(times, t, " "); print t[1] + t[2], runs + 0, edges + 0, broke + 0 }' "$said"
}

# Slices until the processor has worked $2 minutes on it, or it has broken often.
fuzz() {
  local target=$1 minutes=$2 used=0 found=0 left seconds runs edges broke
  mkdir -p "$work/corpus/$target" "$work/findings/$target"
  dictionary "$target"
  while awk -v used="$used" -v wanted="$minutes" 'BEGIN { exit !(used < 60 * wanted - 0.5) }'; do
    left=$(awk -v used="$used" -v wanted="$minutes" -v most="$slice_seconds" \
      'BEGIN { left = int(60 * wanted - used + 0.999); print left < most ? left : most }')
    read -r seconds runs edges broke < <(slice "$target" "$left")
    found=$((found + broke))
    used=$(awk -v a="$used" -v b="$seconds" 'BEGIN { print a + b }')
    awk -v c="$(git rev-parse --short HEAD)" -v t="$target" -v s="$seconds" -v r="$runs" -v e="$edges" -v f="$broke" \
      'BEGIN { printf "%s,%s,%.3f,%d,%d,%d\n", c, t, s / 60, r, e, f }' >>"$log"
    if [ "$runs" -eq 0 ] || [ "$found" -ge "$findings_most" ]; then break; fi
  done
  echo "$target: $used CPU seconds, $(find "$work/corpus/$target" -type f | wc -l) inputs, broke $found times"
}

minimise() {
  local target=$1 fresh=$work/corpus/$1.fresh kept
  find_kept "$target"
  rm -rf "$fresh"
  mkdir -p "$fresh" "$work/corpus/$target"
  "$work/tests/fuzz/fuzz_$target" -merge=1 -close_fd_mask=1 "$fresh" "${kept[@]}" "$work/corpus/$target" \
    >"$work/corpus/$target.txt" 2>&1
  rm -rf "${work:?}/corpus/$target"
  mv "$fresh" "$work/corpus/$target"
}

usage() {
  sed -n '/SPDX/d;s/^# //p' "$0" >&2
  exit 2
}

jobs=1
case ${1:-} in
--summary) summary; exit ;;
--missing) missing "${2:?}"; exit ;;
--minimise) shift; mapfile -t targets < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else all_targets; fi)
  build "${targets[@]}"; for target in "${targets[@]}"; do minimise "$target"; done; exit ;;
-j) jobs=${2:?}; shift 2 ;;
esac
[[ ${1:-} =~ ^[0-9]+([.][0-9]+)?$ ]] || usage
minutes=$1
shift
mapfile -t targets < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else all_targets; fi)
build "${targets[@]}"
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  fuzz "$target" "$minutes" &
done
wait
find "$work/findings" -type f | sed 's/^/finding: /'
[ -z "$(find "$work/findings" -type f)" ]
