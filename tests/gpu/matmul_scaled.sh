#!/usr/bin/env bash
# On a machine with a GPU: the matrix product with alpha = 2 and beta = 0.5 at sizes that are multiples of nothing,
# found by a search, and then its emitted variants, each compared with double precision.
#
#     tests/gpu/matmul_scaled.sh build/aptune [FOLDER [OPTION …]]
#
# FOLDER (default: a new one that is removed) keeps recordings and units; the options are of aptune tune.
# Returns 0 when all of them are right.
set -euo pipefail
aptune=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${2:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
shift $(($# < 2 ? $# : 2))
mkdir -p "$work/spaces" "$work/templates"
cp "$root/templates/matmul.cu" "$root/tests/gpu/matmul_scaled.cu" "$work/templates"
sed -e 's|^out C : float\[M \* N\]|inout C : float[M * N] = uniform(-1, 1)|' \
    -e 's|^arg alpha : float = 1|arg alpha : float = 2|' -e 's|^arg beta : float = 0|arg beta : float = 0.5|' \
    -e 's|^reference .*|reference "../templates/matmul_scaled.cu" matmul_scaled block 16, 16 grid ceil_div(N, 16), ceil_div(M, 16) args C, A, B, M, N, K, alpha, beta|' \
    -e '/^rival/d' "$root/spaces/mm.spec" >"$work/spaces/mm.spec"
failed=0
number=0
for problem in "M=257,N=389,K=1023" "M=1001,N=770,K=515,TA=1" "M=130,N=1023,K=2049,TB=1" "M=777,N=129,K=333,TA=1,TB=1" \
    "M=200,N=130,K=6000,LONGEST=0" "M=31,N=17,K=5,LONGEST=0"; do
    number=$((number + 1))
    folder=$work/$number
    echo "--- $problem"
    "$aptune" --space "$work/spaces/mm.spec" --problem "$problem" --trials 40 --final 2 --output "$folder" \
        --emit driver --cache-dir "$work/cache" "$@" | grep -E 'best|wrong|failed|timed' || true
    manifest=$(find "$folder" -name 'mm.json' | head -1)
    "$aptune" bench --space "$work/spaces/mm.spec" --problem "$problem" --emitted "$manifest" --variants --rounds 6 \
        --sustain 0 --cache-dir "$work/cache" | grep -E 'right|wrong|error' || failed=1
done
exit $failed
