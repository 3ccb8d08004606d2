#!/bin/sh
# Compares our reading of machine code with cuobjdump's, for some configurations of every space in
# spaces/ and, where nvcc is on the PATH, for the kernels of the tests.
#
#     check_sass.sh BUILD [CONFIGURATIONS [ARCH...]]
#
# BUILD is a build folder with aptune-compile, check_code and check_sass; cuobjdump is on the PATH.
# Architectures that pass belong into sass_arch_checked.
set -eu
build=$1
configurations=${2:-8}
[ $# -lt 2 ] || shift
shift
[ $# -gt 0 ] || set -- sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cuobjdump --version | grep release
failed=0
for arch; do
    mkdir "$folder/$arch"
    for spec in "$source"/spaces/*.spec; do
        "$build/tests/check_code" "$folder/$arch" "$arch" "$configurations" "$spec" ||
            echo "$spec: not checked for $arch"
    done
    if command -v nvcc >"$folder/nvcc"; then
        for kernels in cubin/ops cubin/usage sass/shapes counters/kernels; do
            nvcc -arch="$arch" -cubin -o "$folder/$arch/$(basename $kernels).cubin" \
                "$source/tests/data/$kernels.cu" || echo "$kernels.cu: not checked for $arch"
        done
    fi
    pairs=
    for cubin in "$folder/$arch"/*.cubin; do
        cuobjdump --dump-sass "$cubin" >"$cubin.sass"
        cuobjdump --dump-resource-usage "$cubin" >>"$cubin.sass"
        pairs="$pairs $cubin $cubin.sass"
    done
    # shellcheck disable=SC2086
    "$build/tests/check_sass" $pairs || failed=1
done
exit $failed
