#!/usr/bin/env bash
# On a machine with a GPU and nvcc: what `aptune emit` writes of a space of two launches with scratch
# memory, and of one that keeps its state from launch to launch, in each flavour, built and run against
# a sum on the host.
#
#     tests/gpu/emitted.sh build/aptune
set -euo pipefail
aptune=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
include=$(dirname "$(dirname "$(command -v nvcc)")")/include

# space, name, prefix
try() {
    "$aptune" emit --space "$root/spaces/$1.spec" --name "$2" --flavour "$flavour" --prefix "$3" --output "$folder" >/dev/null
    echo "--- $2, $flavour"
    case $flavour in
        runtime) unit=$folder/$2.cu libraries=() ;;
        driver) unit=$folder/$2.o libraries=(-ldl) ;;
        driver-linked) unit=$folder/$2.o libraries=(-lcuda) ;;
    esac
    [ "$flavour" = runtime ] ||
        cc -std=c11 -O2 -Wall -Wextra -Werror -I"$include" -c "$folder/$2.c" -o "$unit"
    nvcc -O2 -arch="sm_$arch" -I"$folder" -o "$folder/test" "$root/tests/gpu/emitted_$2.cu" "$unit" "${libraries[@]}"
    "$folder/test"
}

for flavour in driver driver-linked runtime; do
    folder=$work/$flavour
    try reduce-2008 reduce red_
    try scan scan scan_
done
