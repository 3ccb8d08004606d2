#!/usr/bin/env bats
# aptune emit: what is written from recordings, and what is refused.  Times are made up
# (synthetic_recording.c).
load common
holds='.*'
held_files=csv

emit() {
    run --separate-stderr "$APTUNE" emit "$@"
}

# A spec of two sizes and three configurations in ./k, with a header of its own.
make_space() {
    mkdir -p k/recordings
    cat >k/k.cu <<'END'
#include "part.h"
extern "C" __global__ void scale(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = combine<EACH>(y[i]) * FACTOR;
}
END
    cat >k/part.h <<'END'
#pragma once
template <int each> __device__ float combine(float x)
{
    for (int i = 0; i < each; i++)
        x = x * 1.5f + 0.25f;
    return x;
}
END
    cat >k/k.spec <<'END'
kernel "k.cu" scale
problem N = 4096
problem N = 65536
param EACH in 1, 2, 3
block 128
grid ceil_div(N, 128)
option "-DFACTOR=3.0f"
option "-ftz=true"
inout y : float[N] = uniform(0, 1)
arg n : int = N
END
}

record() {
    "$tests/synthetic_recording" --right "$@" k/k.spec k/recordings
}

hash_of() {
    "$tests/code_hash" "$1" | cut -f2
}

@test "sizes, devices and architectures go into one unit" {
    make_space
    record --problem N=4096 --best 1 --file small
    record --problem N=65536 --best 2 --file large
    record --problem N=65536 --best 2 --arch sm_80 --device "synthetic older device" --file older
    emit --space k/k.spec --output out --default 2
    status_is 0
    [ -z "$stderr" ]
    has "$output" '^entry +1: N=65536 on synthetic device, nothing was measured \(sm_90\): variant 1, 0.5000 ms, regret 0.0 %$'
    has "$output" '^entry +2: N=65536 on synthetic older device \(sm_80\): variant 2, .*, the default$'
    has "$output" '^variant +3: EACH=2 \(sm_90\)$'
    [ "$(jq -c '[.entries[] | [.problem.N, .variant, .arch, .recording]]' out/k.json)" = \
        '[[65536,1,"sm_90","large.times"],[65536,2,"sm_80","older.times"],[4096,3,"sm_90","small.times"]]' ]
    has "$(cat out/k_2.ptx)" '^\.target sm_80'
    has "$(cat out/k_3.ptx)" '^\.target sm_90'
    [ -s out/k_1_sm90.cubin ]
    [ -s out/k_2_sm80.cubin ]
}

@test "recordings that are named go into the unit, and no others" {
    make_space
    record --problem N=4096 --best 1 --file small
    record --problem N=65536 --best 2 --file large
    record --problem N=65536 --best 0 --device "another synthetic device" --file other
    emit k/k.spec k/recordings/small.times k/recordings/large.times --output out
    status_is 0
    [ "$(jq -c '[.entries[].recording] | sort' out/k.json)" = '["large.times","small.times"]' ]
}

@test "what a spec is warned of is said once, however many recordings of it there are" {
    make_space
    sed -i 's/^param EACH.*/param EACH in 1, 2, 3, 2/' k/k.spec
    record --problem N=4096 --best 1 --file small
    record --problem N=65536 --best 2 --file large
    emit k/k.spec k/recordings/small.times k/recordings/large.times --output out
    status_is 0
    [ "$(grep -c "warning: 'EACH' lists 2 twice" <<<"$stderr")" = 1 ]
    [ "$(grep -c warning <<<"$stderr")" = 1 ]
}

@test "a size that its grid or its block does not divide is warned of, with the division" {
    make_space
    sed -i 's/^param EACH.*/param EACH in 2/; s/^grid.*/grid ceil_div(N, 128), 1, (N + 4) \/ 8/' k/k.spec
    record --problem N=4096 --best 0 --file small
    emit k/k.spec k/recordings/small.times --output out
    status_is 0
    has "$stderr" '^k/k.spec:6:27: warning: this division leaves a remainder at the tuned size'
    sed -i 's/^grid.*/grid ceil_div(N, 128)/; s/^block.*/block 128, N \/ 4095/' k/k.spec
    record --problem N=4096 --best 0 --file small
    emit k/k.spec k/recordings/small.times --output out
    status_is 0
    has "$stderr" '^k/k.spec:5:12: warning: this division leaves a remainder at the tuned size'
}

@test "a header of the host's libraries that is not there is not missed by what is emitted" {
    make_space
    sed -i '1i #include <thrust/device_vector.h>' k/k.cu
    record --problem N=4096 --best 1 --file small
    emit --space k/k.spec --output out
    status_is 0
    [ -z "$stderr" ]
    [ -s out/k_1_sm90.cubin ]
}

@test "what is emitted is C and C++ without warnings and chooses by size and device" {
    make_space
    record --problem N=4096 --best 1 --file small
    record --problem N=65536 --best 2 --file large
    record --problem N=65536 --best 0 --arch sm_80 --device "synthetic older device" --file older
    emit --space k/k.spec --output out --prefix my_
    status_is 0
    cat >use.c <<'END'
#include "k.h"
#include <stdio.h>
static void tell(const char *device, int arch, long long n)
{
    my_problem size = {n};
    my_choice choice;
    if (my_choose_for(device, arch, &size, &choice) == MY_OK)
        printf("%s %d\n", choice.parameters, (int)choice.match == (int)MY_EXACT);
}
int main(void)
{
    tell("synthetic device, nothing was measured", 90, 4096);
    tell("synthetic device, nothing was measured", 90, 65536);
    tell("synthetic device, nothing was measured", 90, 65537);
    tell("synthetic older device", 80, 65536);
    return 0;
}
END
    cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iout use.c out/k.c -ldl -o use
    c++ -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iout -fsyntax-only out/k.c
    [ "$(./use)" = $'EACH=2 1\nEACH=3 1\nEACH=3 0\nEACH=1 1' ]
}

@test "a kernel that takes other arguments than the spec says is refused by nvcc" {
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc) || skip "there is no nvcc"
    make_space
    record --best 1
    emit --space k/k.spec --output right --flavour runtime
    "$nvcc" -arch=sm_90 -c right/k.cu -o k.o
    sed -i 's/n : int = N/n : int64 = N/' k/k.spec
    emit --space k/k.spec --output wrong --flavour runtime --stale
    status_is 0
    run "$nvcc" -arch=sm_90 -c wrong/k.cu -o k.o
    [ "$status" -ne 0 ]
    has "$output" 'the kernel.s arguments differ from those it was tuned with'
}

@test "the work of a size; 0 for numbers that are none" {
    make_space
    echo 'work flop = 6 * N * N, bytes = 8 * N' >>k/k.spec
    record --problem N=4096 --best 1
    emit --space k/k.spec --output out
    status_is 0
    cat >use.c <<'END'
#include "k.h"
#include <limits.h>
#include <stdio.h>
int main(void)
{
    static const long long sizes[] = {4096, 0, -1, LLONG_MAX, LLONG_MIN};
    for (int i = 0; i < 5; i++) {
        k_problem size = {sizes[i]};
        printf("%.0f %.0f\n", k_flop(&size), k_bytes(&size));
    }
    return 0;
}
END
    cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsanitize=undefined \
        -fno-sanitize-recover -Iout use.c out/k.c -ldl -o use
    [ "$(./use)" = $'100663296 32768\n0 0\n0 0\n0 0\n0 0' ]
}

@test "the files are those that --list prints, which writes nothing" {
    make_space
    record --file one
    for flavour in driver driver-linked runtime; do
        emit --space k/k.spec --output "$flavour/below" --name mine --flavour "$flavour" --list
        status_is 0
        [ ! -e "$flavour" ]
        sort <<<"$output" >listed
        emit --space k/k.spec --output "$flavour/below" --name mine --flavour "$flavour"
        status_is 0
        find "$flavour/below" -type f | sort | cmp - listed
        has "$(head -n 1 listed)" '/below/mine'
    done
}

@test "the source needs nothing but the compiler: no -D, no includes, no template" {
    make_space
    record --best 2 --file one
    emit --space k/k.spec --output out
    status_is 0
    lacks "$(cat out/k_1.cu)" '^#include'
    lacks "$(cat out/k_1.cu)" "$PWD"
    has "$(cat out/k_1.cu)" '^#define FACTOR 3.0f$'
    has "$(cat out/k_1.cu)" '^#define EACH 3$'
    has "$(cat out/k_1.cu)" 'Compile with -ftz=true'
    mkdir alone
    cp out/k_1.cu alone
    printf 'kernel "k_1.cu" scale\noption "-ftz=true"\nparam NONE in 0\nblock 32\ngrid 1\n' >alone/k.spec
    "$tests/code_hash" k/k.spec >hashes
    has "$(cat hashes)" "^EACH=3	$(hash_of alone/k.spec)$"
    [ "$(cut -f2 hashes | sort -u | wc -l)" -eq 3 ]
}

# Shipped spaces with one of each: a plain kernel, -D and options, launches that share a file.
@test "the sources of shipped spaces compile to the code that was measured" {
    for name in transpose mri-q scan-two-pass; do
        emit --space "$SOURCE/spaces/$name.spec" --output "out/$name" --name k
        grep -q 'compiles to different code' <<<"$stderr" && skip "another compiler than the recordings'"
        status_is 0
        # The row of the winner in the recording, by its parameters in their order.
        zstd -dcq "$SOURCE/spaces/recordings/$name-h200.times.zst" >times
        jq -r --slurpfile k "out/$name/k.json" \
            '[.parameters[][0]] as $names | [$k[0].variants[0].parameters as $p | $names[] | $p[.]]' \
            <(head -n 1 times) | jq -c . >values
        code=$(jq -r --slurpfile v values 'select(.v == $v[0]) | .code' times | tail -n 1)
        jq -r '.variants[0].launches[] | .kernel' "out/$name/k.json" >kernels
        jq -r '.variants[0].launches[0].options | split(" ")[] | "option \"" + . + "\""' \
            "out/$name/k.json" >options
        got=
        while read -r kernel; do
            { printf 'kernel "k_1.cu" %s\nparam NONE in 0\nblock 32\ngrid 1\n' "$kernel"; cat options; } \
                >"out/$name/one.spec"
            got+=${got:++}$(hash_of "out/$name/one.spec")
        done <kernels
        [ -n "$code" ]
        [ "$got" = "$code" ]
    done
}

@test "headers of the toolkit stay where they are" {
    make_space
    mkdir kit
    touch kit/cuda_runtime_api.h
    echo '#define HALF 0.5f' >kit/half.h
    mkdir own
    echo '#define OWN 2' >own/own.h
    sed -i -e '1i #include <half.h>\n#include <own.h>' -e 's/FACTOR/HALF/' k/k.cu
    printf 'include "../kit"\ninclude "../own"\n' >>k/k.spec
    record --file one
    emit --space k/k.spec --output out
    status_is 0
    [ -z "$stderr" ]
    [ "$(grep -c '^#include' out/k_1.cu)" -eq 1 ]
    has "$(cat out/k_1.cu)" '^#include <half.h>$'
    lacks "$(cat out/k_1.cu)" 'define HALF'
    has "$(cat out/k_1.cu)" '^#define OWN 2$'
    lacks "$(cat out/k.h out/k.json out/k_1.cu)" kit
}

@test "a kernel that depends on the size has a variant for each size" {
    make_space
    sed -i 's/-DFACTOR=3.0f/-DFACTOR={N}/' k/k.spec
    record --problem N=4096 --best 1 --file small
    record --problem N=65536 --best 1 --file large
    emit --space k/k.spec --output out --json
    status_is 0
    json '[.variants[] | [.parameters.EACH, .fixed]] == [[2, ["N"]], [2, ["N"]]]'
    has "$(cat out/k_1.cu)" '^#define FACTOR 65536$'
    has "$(cat out/k_2.cu)" '^#define FACTOR 4096$'
}

@test "templates by C++ name and kernels that a command prints" {
    mkdir -p k/recordings
    cat >k/k.spec <<'END'
kernel "k.cu" "deep::fill<{EACH}, float>"
block 32
grid 1
kernel command "./print {EACH}" printed
block 32
grid 1
param EACH in 1, 2
inout y : float[1024] = uniform(0, 1)
END
    cat >k/k.cu <<'END'
namespace deep {
template <int each, typename T> __global__ void fill(T *y)
{
    y[threadIdx.x] = (T)each;
}
}
END
    cat >k/print <<'END'
#!/bin/sh
echo 'extern "C" __global__ void printed(float *y) { y[threadIdx.x] += 1; /*' "$1" '*/ }'
END
    chmod +x k/print
    record --best 1
    emit --space k/k.spec --output out
    status_is 1
    has "$stderr" 'a command prints this kernel; --run-commands allows'
    emit --space k/k.spec --output out --run-commands --depfile k.d
    status_is 0
    [ "$(jq -r '.variants[0].launches[] | .kernel' out/k.json)" = $'deep::fill<2, float>\nprinted' ]
    has "$(jq -r '.variants[0].launches[0].entry' out/k.json)" '^_ZN4deep4fillILi2EfEEvPT0_$'
    has "$(cat out/k_1_2.cu)" 'void printed.* 2 '
    has "$(cat out/k_1.ptx)" '_ZN4deep4fillILi2EfEEvPT0_'
    has "$(cat k.d)" 'k/\./print'
}

@test "a recording of other code is stale: refused, or accepted and said" {
    make_space
    record --file one
    sed -i 's/0.25f/0.75f/' k/part.h
    emit --space k/k.spec --output out
    status_is 1
    has "$stderr" "error: 'k/recordings/one.times' is stale: its winner, 'EACH=3', compiles to different code here than was measured \(NVRTC .* here, NVRTC .* there; the sources have changed\); measure the space again, or accept the recording with --stale"
    [ ! -e out ]
    emit --space k/k.spec --output out --stale
    status_is 0
    has "$stderr" "warning: 'k/recordings/one.times' is stale"
    has "$output" '^entry .*, STALE$'
    [ "$(jq '.entries[0].stale' out/k.json)" = true ]
}

@test "an edited comment makes nothing stale" {
    make_space
    record --file one
    sed -i '1i // a comment' k/k.cu k/part.h
    emit --space k/k.spec --output out
    status_is 0
    has "$stderr" "warning: the sources of 'k' have changed since .* the code of the winner is still the same"
    [ "$(jq '.entries[0].stale' out/k.json)" = false ]
}

@test "a source that asks for its own lines: cubin and PTX are the template's" {
    make_space
    sed -i 's/\* FACTOR/* __LINE__/' k/k.cu
    record --file one
    emit --space k/k.spec --output out
    status_is 0
    has "$stderr" 'warning: the emitted source of .EACH=3. compiles to different code than the template'
    has "$(cat out/k_1.ptx)" '0f40C00000' # 6, the line in the template
}

@test "without a compiler there is source alone, and a run does not fail" {
    make_space
    record --file one
    APTUNE_NVRTC=/nonexistent emit --space k/k.spec --output out
    status_is 1
    has "$stderr" "error: cannot open NVRTC.*the flavour 'driver' needs compiled code"
    [ ! -e out ]
    APTUNE_NVRTC=/nonexistent emit --space k/k.spec --output out --flavour runtime
    status_is 0
    has "$stderr" 'note: nothing was compiled'
    [ -s out/k_1.cu ]
    run ! compgen -G 'out/*.cubin'
    APTUNE_NVRTC=/nonexistent tune --space k/k.spec --problem N=4096 --output run
    status_is 0
    has "$output" '^written +run/N=4096/k.h, k.cu, k_1.cu, k.json$'
    has "$stderr" 'note: the tuned kernel is written as source alone: cannot open NVRTC'
}

@test "a run emits what --emit says" {
    make_space
    record --file one
    tune --space k/k.spec --problem N=4096 --output run --emit runtime
    status_is 0
    [ "$(jq -r .flavour run/N=4096/k.json)" = runtime ]
    tune --space k/k.spec --problem N=4096 --output none --emit none
    status_is 0
    has "$output" '^written +none/N=4096/configurations.csv$'
    [ -z "$(find none -name 'k[._]*')" ]
    tune --space k/k.spec --problem N=4096 --emit some
    status_is 2
    has "$stderr" '^aptune: --emit takes driver, driver-linked, runtime or none, not .some.'
}

@test "what was read becomes a rule of Make" {
    make_space
    record --file one
    emit --space k/k.spec --output out --depfile k.d
    status_is 0
    printf '\techo again\n' >>k.d
    make -rRqf k.d out/k.h
    make -rRqf k.d out/k.c
    touch -d '+1 minute' k/part.h
    run ! make -rRqf k.d out/k.h
    run ! make -rRqf k.d out/k.c
    has "$(cat k.d)" '^  k/recordings/one.times( |$)'
    has "$(cat k.d)" '^  k/recordings/one.profile( |$)'
}

@test "wrong input is told from failure" {
    make_space
    emit
    status_is 2
    has "$stderr" '^aptune: which space\? Name a FILE.spec'
    emit --space none.spec
    status_is 2
    has "$stderr" "there is no file 'none.spec'"
    emit --space k/k.spec
    status_is 2
    has "$stderr" "there is no recording of the space 'k' in 'k/recordings'"
    emit --space k/k.spec none.times
    status_is 2
    has "$stderr" "cannot open 'none.times'"
    emit --space k/k.spec --recordings none
    status_is 2
    has "$stderr" "no recording is named, and there is no folder 'none' to find one in"
    emit --space k/k.spec --name 9mm
    status_is 2
    has "$stderr" "^aptune: --name takes a C identifier .*not '9mm'"
    emit --space k/k.spec --prefix mm-
    status_is 2
    emit --space k/k.spec --flavour opencl
    status_is 2
    has "$stderr" "^aptune: --flavour takes driver, driver-linked or runtime, not 'opencl'"
    emit --space k/k.spec "$SOURCE/spaces/recordings/mm-core-h200.times.zst"
    status_is 2
    has "$stderr" "is a recording of the space 'mm-core', not of 'k'"
    record --file one
    emit --space k/k.spec --default 2
    status_is 2
    has "$stderr" 'there is no entry 2 to be the default: there are 1'
    emit --space k/k.spec --list --depfile k.d
    status_is 2
    sed -i '/N = 4096/d' k/k.spec
    emit --space k/k.spec --json
    status_is 0
    [ "$(jq -c '.entries[0].problem' <<<"$output")" = '{"N":4096}' ]
    echo >file
    make_space
    emit --space k/k.spec --output file/below
    status_is 1
    has "$stderr" 'file/below.*Not a directory'
}
