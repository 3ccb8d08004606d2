#!/usr/bin/env bash
# How an exhaustive run scales with the GPUs of one machine: a part of spaces/mm-core.spec is compiled
# once, into a cache, then all of it is timed on the first GPU, on two, and on all.  Run by hand on a
# machine with several equal GPUs:
#
#     [BN="64, 128"] tests/bench/scaling.sh [APTUNE] [OUT]
#
# times 612 configurations, or with BN set as above 1,428, to make what each GPU needs before its
# first trial matter less.  APTUNE is the program (build/aptune), OUT a folder for what the runs leave (build/scaling; kept, so
# begin with a new one).  Prints for each run the wall seconds of the time stage, which include
# filling the buffers, the reference and a second of warm-up on each GPU, and how much faster than
# one GPU that is; then what each GPU did, in seconds since it was opened.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
aptune=${1:-$root/build/aptune}
out=${2:-$root/build/scaling}
mkdir -p "$out/spaces"
export APTUNE_CACHE=$out/cache

# About one configuration in ten.
ln -sfn "$root/templates" "$out/templates"
sed -e 's/^param BM in [^#]*/param BM in 64, 128 /' -e "s/^param BN in [^#]*/param BN in ${BN:-64} /" \
    -e 's/^param VEC in [^#]*/param VEC in 4 /' -e 's/^param BK in [^#]*/param BK in 8, 16 /' \
    "$root/spaces/mm-core.spec" >"$out/spaces/mm-part.spec"

seconds() { # DEVICES: of the time stage, and all that the ledger says of the GPUs
    "$aptune" --space "$out/spaces/mm-part.spec" --exhaustive --devices "$1" \
        --output "$out/on-${1//,/-}" --json 2>"$out/log-${1//,/-}" >"$out/on-${1//,/-}.json"
    sed -n '/"seconds"/,/}/s/.*"time": *\([0-9.]*\).*/\1/p' "$out/on-${1//,/-}.json"
}

# Compiling is not part of the question: a run whose times are thrown away fills the cache.
"$aptune" --space "$out/spaces/mm-part.spec" --no-gpu --arch sm_90 --output "$out/fill" |
    grep -E '^(space|compiled)'

printf '%-8s %10s %10s\n' devices 'time, s' 'ratio'
for devices in 0 0,1 all; do
    s=$(seconds "$devices")
    one=${one:-$s}
    awk -v d="$devices" -v s="$s" -v one="$one" 'BEGIN { printf "%-8s %10.2f %10.2f\n", d, s, one / s }'
    grep -E '"(ordinal|outcomes|time_s|verify_s|idle_s)"' "$out/on-${devices//,/-}.json" |
        tr -d ' \n' && echo
done
