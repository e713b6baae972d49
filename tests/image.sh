#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The image as a user has it: made from the packages in DEBS, run by podman, or by chroot where podman cannot run. A
# folder of a user gets results of this user; a sweep, two ranks and `live` work; the size has a limit. As root.
#
# usage: tests/image.sh DEBS [SUITE]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd) megabytes=600 port=18473
folder=$(mktemp -d)
finish() {
  [ -z "${server:-}" ] || { kill -- "-$server"; wait "$server"; } 2>/dev/null || true
  $podman || for point in data sys dev proc; do umount -lq "$folder/bundle/rootfs/$point" || true; done
  podman rmi -f localhost/springbench >/dev/null 2>&1 || true
  rm -rf --one-file-system "$folder"
}
podman=false
trap finish EXIT
"$root/packaging/image/build.sh" "$1" "$folder/image.tar" "${2:-bookworm}"
mkdir "$folder/layout" "$folder/data"
tar -C "$folder/layout" -xf "$folder/image.tar"
chmod 755 "$folder"
chown 4321:4322 "$folder/data"

umoci unpack --image "$folder/layout:springbench" "$folder/bundle" >/dev/null
size=$(du -sm "$folder/bundle/rootfs" | cut -f1)
[ "$size" -lt $megabytes ] || { echo "$size MB, at most $megabytes"; exit 1; }
grep -q '"springbench-image"' "$folder/bundle/config.json"
if { podman load -q -i "$folder/image.tar" && podman run --rm localhost/springbench --version; } >/dev/null 2>&1; then
  podman=true
  inside() {
    podman run --rm -v "$folder/data:/data" -p "127.0.0.1:$port:$port" -e SPRINGBENCH_PORT=$port \
      localhost/springbench "$@"
  }
else
  mount -t proc proc "$folder/bundle/rootfs/proc"
  mount -t sysfs sys "$folder/bundle/rootfs/sys"
  mount --bind /dev "$folder/bundle/rootfs/dev"
  mount --bind "$folder/data" "$folder/bundle/rootfs/data"
  inside() {
    env -i PATH="$PATH" SPRINGBENCH_PORT=$port chroot "$folder/bundle/rootfs" \
      sh -c 'cd /data && exec springbench-image "$@"' sh "$@"
  }
fi
echo "$size MB; run by $($podman && echo podman || echo chroot)"

inside run rope_blowup --quick --progress none
inside case scene=cloth grid=8 duration=0.1 ranks=2 -o two.h5 >/dev/null
for file in results/rope_blowup/{report.html,figures/rope_blowup.svg} results/index.md two.h5; do
  [ -s "$folder/data/$file" ]
done
strangers=$(find "$folder/data" ! -uid 4321 -o ! -gid 4322)
[ -z "$strangers" ] || { echo "not of the user: $strangers"; exit 1; }

set -m # a process group of its own
inside live scene=cloth grid=8 >"$folder/live.txt" &
server=$!
set +m
for _ in $(seq 100); do grep -q token "$folder/live.txt" && break; sleep 0.2; done
token=$(sed -n 's/.*token=//p' "$folder/live.txt")
address=127.0.0.1
$podman || read -r address _ < <(hostname -I)
curl -sf -H "Host: 127.0.0.1:$port" "http://$address:$port/?token=$token" -o "$folder/page.html"
grep -q '<title>' "$folder/page.html"
if curl -sf -H "Host: example.org:$port" "http://$address:$port/?token=$token" >/dev/null; then exit 1; fi
echo "results of the user, two ranks, live: as promised"
