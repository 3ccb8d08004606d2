#!/bin/sh
# Compares our reading of machine code with cuobjdump, for some configurations of every space.
#
#     check_sass.sh BUILD [CONFIGURATIONS [ARCH...]]
#
# BUILD is a build folder with aptune-compile, check_code and check_sass; cuobjdump is on the PATH.
set -eu
build=$1
configurations=${2:-8}
[ $# -lt 2 ] || shift
shift
[ $# -gt 0 ] || set -- sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cuobjdump --version | grep release
failed=0
for arch; do
    mkdir "$folder/$arch"
    "$build/tests/check_code" "$folder/$arch" "$arch" "$configurations" "$source"/spaces/*.spec
    pairs=
    for cubin in "$folder/$arch"/*.cubin "$source"/tests/data/*/*_"$arch".cubin; do
        [ -f "$cubin" ] || continue
        text=$folder/$arch/$(basename "$cubin").sass
        cuobjdump --dump-sass "$cubin" >"$text"
        pairs="$pairs $cubin $text"
    done
    # shellcheck disable=SC2086
    "$build/tests/check_sass" $pairs || failed=1
done
exit $failed
