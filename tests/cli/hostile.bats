#!/usr/bin/env bats
# What a stranger's spec, template, recording or folder could do, and must not.
load common

# A space of one configuration with further lines in its spec and in its template.
make_space() {
    printf '%s\n' "${2:-}" 'extern "C" __global__ void k(float *y) { y[threadIdx.x] = SCALE; }' >k.cu
    printf '%s\n' 'kernel "k.cu" k' 'problem N = 32' 'param SCALE in 1' 'block 32' 'grid 1' \
        'out y : float[N]' 'args y' "$1" >k.spec
}

@test "an option that writes a file is refused with its place, wherever the spec is read" {
    local option
    for option in "--time=$PWD/prey" "-time=prey" "--create-pch=prey" "-fdevice-time-trace=prey" \
        '-Xptxas=-o,prey' '-maxrregcount=32 --time=prey' '{SCALE}' '-D'; do
        make_space "option \"$option\""
        for verb in check 'tune --no-gpu --arch sm_90 --space'; do
            run --separate-stderr "$APTUNE" $verb k.spec
            [ "$status" -gt 0 ]
            has "$stderr" '^k.spec:8:8: error: '
        done
    done
    [ -z "$(find . -name '*prey*')" ]
}

@test "a plugin that only a spec names is not opened" {
    make_synthetic_gpu
    touch space/evil.so
    printf 'reference first\n' >>space/many.spec
    echo 'rival "evil.so" sum args Y, X' >>space/many.spec
    run --separate-stderr "$fake" bench --space space/many.spec --config 'THREADS=64 EACH=2'
    has "$output$stderr" 'a plugin that only the spec names is not opened; .* --against space/evil.so'
    lacks "$output" 'library: space/evil.so'

    run --separate-stderr "$fake" bench --space space/many.spec --config 'THREADS=64 EACH=2' \
        --against space/evil.so
    status_is 0
    has "$output" 'a synthetic library: space/evil.so'
}

@test "helpers are never taken from the current folder, along PATH or from folders further up" {
    mkdir -p far/a/b/bin near/bin near/libexec/aptune
    cp "$APTUNE" far/a/b/bin
    cp "$APTUNE" near/bin
    printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" >helper
    chmod +x helper
    local folder
    for folder in . far far/a path; do
        mkdir -p "$folder/libexec/aptune"
        cp helper "$folder/aptune-compile"
        cp helper "$folder/libexec/aptune/aptune-compile"
    done
    make_space
    PATH=path:.:$PATH run --separate-stderr far/a/b/bin/aptune check k.spec
    [ ! -e ran ]
    cp helper near/libexec/aptune/aptune-compile
    run --separate-stderr near/bin/aptune check k.spec
    [ -e ran ]
}

@test "a cache that others can write is refused unless it is trusted" {
    make_space
    mkdir cache
    chmod g+w cache
    compile() { run --separate-stderr "$APTUNE" tune --space k.spec --no-gpu --arch sm_90 --cache-dir cache "$@"; }
    compile
    status_is 0
    has "$stderr" "nothing is cached: 'cache' can be written by others, .* --trust-cache .* chmod go-w"
    [ -z "$(find cache -type f)" ]
    compile --trust-cache
    [ -z "$stderr" ]
    [ -n "$(find cache -type f)" ]
    chmod 755 cache
    chmod 777 cache/v1
    compile
    has "$stderr" "'cache/v1' can be written by others"
    compile --cache-dir new
    [ "$(stat -c %a new new/v1 | sort -u)" = 700 ]
}

@test "the cache shows what it holds and is made smaller" {
    make_space
    "$APTUNE" tune --space k.spec --no-gpu --arch sm_90 --cache-dir cache
    run --separate-stderr "$APTUNE" cache --cache-dir cache
    status_is 0
    has "$output" '^entries    [1-9]'
    run --separate-stderr "$APTUNE" cache --cache-dir cache --keep 0
    status_is 0
    has "$output" '^entries    0, 0.0 MB'
    # A run keeps no more than its limit.
    "$APTUNE" tune --space k.spec --no-gpu --arch sm_90 --cache-dir cache --cache-limit 0
    [ -z "$(find cache -type f)" ]
}

# Kernels, sizes and data named as what the emitted code itself uses or as a macro of the host's, and
# values that would join or end lines there.
make_names() {
    local names='k s stream arguments function status attributes k_dim k_kernel k_launched k_check_1'
    names+=' linux errno EOF offsetof __linux__ CUDART_INF'
    mkdir -p names/recordings
    for name in $names; do
        echo "extern \"C\" __global__ void $name(float *y, int n) { y[threadIdx.x] = SCALE + n; TEXT(END) }"
        printf 'kernel "k.cu" %s\nblock 32\ngrid 1\nargs INT_MAX, M_PI\n' "$name" >>names/launches
    done >names/k.cu
    sed -i '1i #define TEXT(x)' names/k.cu
    {
        printf '%s\n' 'problem N = 32, ENOENT = 2, concept = 3' 'param SCALE in 1' 'param unix in 1' \
            'param TEXT_1 in "*/ ??/ \\ u202e"' 'out INT_MAX : float[N]' 'arg M_PI : int = ENOENT' \
            'option "-DEND=a\\"'
        cat names/launches
    } >names/k.spec
    sed -i $'s/u202e/\u202e/' names/k.spec
}

@test "what is emitted compiles for every name of a kernel, as C11, C17, C++17, C++20 and by nvcc" {
    make_names
    local name=$'\e \u202e */ an error; /*\n??/\nan error'
    "$tests/synthetic_recording" --right --device "$name" --date "$name" names/k.spec names/recordings
    local flavour
    for flavour in driver driver-linked runtime; do
        run --separate-stderr "$APTUNE" emit --space names/k.spec --flavour $flavour --output $flavour
        status_is 0
        # A value is code, and stays what it is.
        [ -z "$(grep -h -e $'\e' -e $'\u202e' -r $flavour --include='*.[hc]' --include='*.cu' |
            grep -v '^#define TEXT_1 ')" ]
    done
    local warnings='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I/usr/local/cuda/include'
    warnings+=' -include errno.h -include limits.h -include math.h'
    for flavour in driver driver-linked; do
        for standard in c11 c17; do
            cc -std=$standard $warnings $flavour/k.c
        done
        for standard in c++17 c++20; do
            c++ -x c++ -std=$standard $warnings $flavour/k.c
        done
    done
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc || true)
    # Without a standard it is GNU's, which has more macros.
    [ -z "$nvcc" ] || "$nvcc" -arch=sm_90 -Werror all-warnings \
        -Xcompiler -Wno-bidi-chars,-Wno-trigraphs -c -o k.o runtime/k.cu
}

# Emits the space of k.spec; what is included is compiled for values that make_space gave.
emit_space() {
    rm -rf recordings out
    mkdir recordings
    "$tests/synthetic_recording" --right k.spec recordings
    run --separate-stderr "$APTUNE" emit --space k.spec --output out "$@"
}

@test "only what was compiled is copied into emitted code" {
    mkdir -p space/inc elsewhere
    cd space
    make_space 'include "inc"' '#include "a.h"
#if SCALE > 1
#include "secret.h"
#endif
#ifdef NEVER
#include "../elsewhere/secret.h"
#include "/etc/hostname"
#endif'
    printf '#pragma once\n#define SEEN 1 /* in a.h */\n#if 0\n#include "secret.h"\n#else\n#include "b.h"\n#endif\n' >inc/a.h
    echo '#define ALSO 2 /* in b.h */' >inc/b.h
    tee inc/secret.h ../elsewhere/secret.h <<<'#define SECRET "a word"'
    emit_space
    status_is 0
    has "$(cat out/k_1.cu)" 'in a.h'
    has "$(cat out/k_1.cu)" 'in b.h'
    has "$(cat out/k_1.cu)" '^#include "secret.h"$'
    [ -z "$(grep -rl 'a word\|aptune_[0-9a-f]' out)" ]
    # One that counts is refused, whichever way it is asked for.
    sed -i 's/ifdef NEVER/ifndef NEVER/; s/.*hostname.*//' k.cu
    emit_space
    status_is 1
    has "$stderr" '"../elsewhere/secret.h" is outside the declared folders; declare its folder with include "FOLDER"'
    sed -i 's/ifndef NEVER/ifdef NEVER/' k.cu
    echo 'option "-include=../elsewhere/secret.h"' >>k.spec
    emit_space
    status_is 1
    has "$stderr" 'elsewhere/secret.h" is outside'
    [ -z "$(grep -rl 'a word' out)" ]
}

@test "a template cannot take the machine's memory, nor can a spec's launches" {
    make_space
    sed -i 's/^param SCALE.*/param SCALE in range(1000)/; s/^grid.*/grid 1 + I \/\/ 65535\nrepeat I in range(65536)/' k.spec
    run --separate-stderr "$APTUNE" tune --space k.spec --dry-run --arch sm_90
    status_is 2
    has "$stderr" 'the first [0-9]+ configurations .* have more than 4194304 launches in total'
    if grep -q __asan_init "$APTUNE"; then
        return # its tables would count
    fi
    make_space '' '#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(A(A(A(A(A(x)))))))
__global__ void bomb(float *y) { B(y[threadIdx.x] += 1.f;) }'
    for limit in 1 2; do # what fails for want of memory is not cached
        run --separate-stderr "$APTUNE" tune --space k.spec --no-gpu --arch sm_90 --compile-memory 0.$limit
        status_is 1
        has "$stderr" 'out of memory|std::bad_alloc|signal|killed'
        lacks "$output" 'cache had'
    done
}

@test "a spec without a name of its own does not write elsewhere" {
    make_space
    for name in ...spec .spec ..spec; do
        cp k.spec $name
        run --separate-stderr "$APTUNE" tune --space $name --no-gpu --arch sm_90 --emit none
        status_is 2
        has "$stderr" 'rename the file'
    done
    [ ! -e report.html ] && [ ! -e aptune-out ]
}

@test "a rank that makes no sense is an error, not all of the space" {
    make_space
    rank() { run --separate-stderr env "$@" "$APTUNE" tune --space k.spec --no-gpu --arch sm_90 --dry-run; }
    for bad in OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_RANK=4 OMPI_COMM_WORLD_RANK=-1 \
        OMPI_COMM_WORLD_SIZE=0 OMPI_COMM_WORLD_SIZE= OMPI_COMM_WORLD_SIZE=99999999999 \
        OMPI_COMM_WORLD_LOCAL_RANK=y; do
        rank OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=0 "$bad"
        status_is 2
        has "$stderr" 'is not a valid rank, .* use --shard i/n, or --shard none'
    done
    for bad in PMI_RANK=1 PMI_SIZE=4 OMPI_COMM_WORLD_RANK=0; do
        rank "$bad"
        status_is 2
        has "$stderr" 'is not a valid rank, '
    done
    rank SLURM_PROCID=0 # of a batch script
    status_is 0
    rank SLURM_PROCID=7 SLURM_STEP_NUM_TASKS=7
    status_is 2
    rank SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1
    status_is 0
    run env SLURM_PROCID=7 SLURM_STEP_NUM_TASKS=7 "$APTUNE" tune --space k.spec --dry-run \
        --arch sm_90 --shard none
    status_is 0
}

@test "sizes that no buffer can have and launches that no device can do are said" {
    for size in -5 0; do
        make_space
        sed -i "s/^problem.*/problem N = $size/" k.spec
        run --separate-stderr "$APTUNE" tune --space k.spec --no-gpu --arch sm_90
        [ "$status" -gt 0 ]
        has "$stderr" '^k.spec:6:[0-9]+: error: this must be a whole number of at least 1'
    done
    for line in 'grid 9223372036854775807' 'grid 1, 2**20' 'shared 2**40'; do
        make_space
        echo "$line" | sed -i "s/^${line%% *} .*//; /^block/r /dev/stdin" k.spec
        grep -q '^grid' k.spec || sed -i '/^block/a grid 1' k.spec
        run --separate-stderr "$APTUNE" tune --space k.spec --no-gpu --arch sm_90
        status_is 1
        has "$stderr" "the first failure: (grid too large|too much dynamic shared).* NVIDIA H200 can't"
    done
}

@test "a folder that another user has made a link is not written into" {
    [ "$(id -u)" = 0 ] || skip 'needs another user'
    make_space
    mkdir out prey
    ln -s ../prey out/pictures
    chown -h 65534 out/pictures
    run --separate-stderr "$APTUNE" tune --space k.spec --no-gpu --arch sm_90 --emit none --output out
    has "$stderr" "'out/pictures' is a link that another user made"
    [ -z "$(ls prey)" ]
}

@test "a lock that another user keeps does not keep a run from its own recording" {
    [ "$(id -u)" = 0 ] || skip 'needs another user'
    make_synthetic_gpu
    mkdir out
    touch out/many.times
    chmod 755 . out
    exec 9<out/many.times
    setpriv --reuid=65534 --clear-groups flock -x 9 || skip 'no second user'
    setpriv --reuid=65534 --clear-groups sleep 300 9<&9 &
    exec 9<&-
    run --separate-stderr "$fake" --space space/many.spec --output out
    kill $!
    status_is 0
    lacks "$stderr" 'is being written by another run'
}

@test "cells of a table are quoted, and no formulas for a spreadsheet" {
    make_space
    cat >>k.spec <<'END'
param TEXT in "=HYPERLINK(1)", "+1", "a,b", "say \"so\"", "-x", "@y", "-2.5"
END
    mkdir recordings
    "$tests/synthetic_recording" --right k.spec recordings
    run --separate-stderr "$APTUNE" tune --space k.spec --no-gpu --exhaustive --emit none --output out
    status_is 0
    "$APTUNE" export recordings/k.times --format csv --output rows.csv
    python3 - <<'END'
import csv
for path in "out/configurations.csv", "rows.csv":
    table = list(csv.DictReader(open(path)))
    assert {r["TEXT"] for r in table} == {"'=HYPERLINK(1)", "+1", "a,b", 'say "so"', "'-x", "'@y", "-2.5"}
    for row in table:
        assert None not in row and None not in row.values()
END
}

@test "a short spec does not take long" {
    printf 'param A in range(60000)\nparam B in range(A)\nkernel "." k\nblock 1\ngrid 1\n' >s.spec
    run timeout 10 "$APTUNE" tune --space s.spec --dry-run --arch sm_90
    [ "$status" -ne 124 ]
}

@test "a search of a product without end stops on request and says how far it was" {
    printf 'param A in range(60000)\nparam B in range(60000)\nparam C in range(60000)
require A * B * C %% 7 == 8\nkernel "." k\nblock 1\ngrid 1\n' >s.spec
    run --separate-stderr timeout -k 20 -s INT 3 "$APTUNE" tune --space s.spec --dry-run --arch sm_90
    [ "$status" -ne 137 ]
    has "$stderr" 'stopped: [0-9]+ of 216000000000000 points of the product are decided \([0-9.e-]+ %\), 0 of them are valid'
    if grep -q __asan_init "$APTUNE"; then
        return # minutes
    fi
    run --separate-stderr timeout 300 "$APTUNE" tune --space s.spec --dry-run --arch sm_90
    status_is 2 # by itself
    has "$stderr" 'stopped: [0-9]+ of 216000000000000 points'
}

@test "JSON of reports is ASCII, whatever the names in it" {
    make_space
    echo 'param TEXT in "\u"' | sed $'s/.u/\u202e \u009b31m/' >>k.spec
    mkdir recordings
    "$tests/synthetic_recording" --right k.spec recordings
    run --separate-stderr "$APTUNE" tune --space k.spec --no-gpu --exhaustive --json --output out
    status_is 0
    json '.best | tostring | contains("\u202e \u009b31m")'
    "$APTUNE" emit --space k.spec --output out --json >emit.json
    "$APTUNE" study recordings/k.times --output out
    [ -z "$(LC_ALL=C grep -lP '[\x80-\xff]' <(echo "$output") emit.json out/*.json)" ]
}
