#!/usr/bin/env bash
# On a machine with a GPU and nvcc: what `aptune emit` writes of a space of two launches with scratch
# memory, in each flavour, built and run against a sum on the host.
#
#     tests/gpu/emitted.sh build/aptune
set -euo pipefail
aptune=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
for flavour in driver driver-linked runtime; do
    folder=$work/$flavour
    "$aptune" emit --space "$root/spaces/reduce-2008.spec" --name reduce --flavour "$flavour" --prefix red_ --output "$folder" >/dev/null
    echo "--- $flavour"
    case $flavour in
        runtime) unit=$folder/reduce.cu libraries=() ;;
        driver) unit=$folder/reduce.o libraries=(-ldl) ;;
        driver-linked) unit=$folder/reduce.o libraries=(-lcuda) ;;
    esac
    include=$(dirname "$(dirname "$(command -v nvcc)")")/include
    [ "$flavour" = runtime ] ||
        cc -std=c11 -O2 -Wall -Wextra -Werror -I"$include" -c "$folder/reduce.c" -o "$unit"
    nvcc -O2 -arch="sm_$arch" -I"$folder" -o "$folder/test" "$root/tests/gpu/emitted_reduce.cu" "$unit" "${libraries[@]}"
    "$folder/test"
done
