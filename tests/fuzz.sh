#!/usr/bin/env bash
# Fuzzing: `tests/fuzz.sh MINUTES [TARGET…]` gives each target (default: all) that long on one core, under ASan and UBSan,
# starting from tests/fuzz/corpus. Inputs that break something are left in build/fuzz/findings; the corpus grows in build/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:?"usage: tests/fuzz.sh MINUTES [TARGET…]"}
shift
mapfile -t targets < <(sed -n 's/^foreach(name \(.*\))$/\1/p' tests/fuzz/CMakeLists.txt | tr ' ' '\n')
[ $# -eq 0 ] || targets=("$@")
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}" -- --quiet
export ASAN_OPTIONS=fast_unwind_on_malloc=0:detect_leaks=1 LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
status=0
for target in "${targets[@]}"; do
  work=build/fuzz/corpus/$target
  mkdir -p "$work" "build/fuzz/findings/$target"
  dictionary=()
  [ ! -e "tests/fuzz/$target.dict" ] || dictionary=("-dict=tests/fuzz/$target.dict")
  echo "== $target: $minutes min"
  build/fuzz/tests/fuzz/fuzz_"$target" -max_total_time=$((minutes * 60)) -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 "${dictionary[@]}" -artifact_prefix="build/fuzz/findings/$target/" \
    "$work" "tests/fuzz/corpus/$target" 2>&1 | grep -E "^(stat::|SUMMARY|Done|==[0-9]+==ERROR|does not hold)" || status=1
done
find build/fuzz/findings -type f | sed 's/^/finding: /'
[ -z "$(find build/fuzz/findings -type f)" ] && exit "$status"
exit 1
