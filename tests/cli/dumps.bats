#!/usr/bin/env bats
# What -d shows of each stage, in a search and in a carving run.
load common

dumped() {
    run --separate-stderr "$APTUNE" tune --no-gpu --space "$SOURCE/spaces/saxpy.spec" --emit none --seed 1 "$@"
    status_is 0
}

@test "a search dumps what it compiled, profiled, judged and timed" {
    dumped --trials 8 --compiles 60 -d SECPMFR
    has "$stderr" '^> S: spec as understood \(saxpy\)$'
    has "$stderr" '^require ROUNDS % UNROLL == 0$'
    has "$stderr" '^ +288 rejected: ROUNDS % UNROLL == 0$'
    has "$stderr" '^ +378 valid of 900$'
    [ "$(grep -c ': not compiled$' <<<"$stderr")" -gt 300 ]
    compiled=$(grep -cE '^BLOCK=.*: ok, code [0-9a-f]{32}$' <<<"$stderr")
    [ "$compiled" -ge 8 ]
    [ "$(grep -cE '^registers = [0-9]+ registers per thread$' <<<"$stderr")" = "$compiled" ]
    [ "$(grep -cE '^BLOCK=.*: efficiency=.* predicted_ms=0\.' <<<"$stderr")" = "$compiled" ]
    [ "$(grep -cE '^BLOCK=.*: (survives|dropped by stage 1)' <<<"$stderr")" = "$compiled" ]
    [ "$(grep -cE '^BLOCK=.*: ok( 0\.[0-9]+)+$' <<<"$stderr")" -ge 8 ]
    lacks "$stderr" '^$'
}

@test "a carving run dumps each stage when it is done" {
    dumped --carve "best 3 by predicted_cycles" -d ECPMFR
    [ "$(grep -E '^> ' <<<"$stderr" | cut -c 3 | tr -d '\n')" = ECPMFR ]
    [ "$(grep -cE '^BLOCK=.*: survives$' <<<"$stderr")" = 3 ]
    lacks "$stderr" 'not compiled$'
}

@test "what does not compile is dumped, too, with its source as the compiler got it" {
    printf '#include "part.h"\nint host() { return 1; }\n__global__ void k(int *a) { a[0] = part(); }\n' >k.cu
    printf 'void hosts() {}\n__device__ int part() { return missing; }\n' >part.h
    printf '%s\n' 'kernel "k.cu" "k"' 'param B in 32, 64' 'block B' 'grid 1' 'out x : int[64]' 'kernel "k.cu" "k"' 'block 1' 'grid 1' >k.spec
    for how in --static --trials=8; do
        run --separate-stderr "$APTUNE" k.spec --arch h100 --no-gpu "$how" -d HCP
        status_is 1
        [ "$(grep -c '^__global__' <<<"$stderr") $(grep -c '^>> part.h$' <<<"$stderr") $(grep -c 'return missing' <<<"$stderr")" = '1 1 1' ]
        lacks "$stderr" 'hosts?\('
        has "$stderr" '^B=64: error, part.h\(2\): error: identifier "missing" is undefined$'
    done
}

@test "of what is selected, the profiler's stages are dumped" {
    dumped --carve "best 2 by predicted_cycles" -d BWLJ
    [ "$(grep -E '^> |^BLOCK=' <<<"$stderr" | cut -c 1-3 | tr -d '\n')" = "> BBLOBLO> WBLOBLO> LBLOBLO> JBLOBLO" ]
    for line in '^block 0: [0-9]+ instructions, to ' '^warp 0 of block .* weight .*: [0-9]+ instructions$' \
        '^  block 0: 1 times, 32\.0 lanes$' '^block 0: instructions 0 to [0-9]+, 1 times' \
        '^global loads of [0-9]+ bytes: [0-9]+ in PTX'; do
        has "$stderr" "$line"
    done
}

@test "fields and metrics are listed" {
    run --separate-stderr "$APTUNE" profile --fields
    status_is 0
    has "$output" '^registers +registers per thread +'
    has "$output" '^In sum\(stall_regions, …\)'
    run --separate-stderr "$APTUNE" profile --metrics
    status_is 0
    has "$output" '^predicted_ms +ms, lower is better\. '
}

@test "the cache says what it holds and gives it up" {
    dumped --carve "best 2 by predicted_cycles" -d J # compiles two
    run --separate-stderr "$APTUNE" cache
    status_is 0
    has "$output" "^folder +$APTUNE_CACHE"
    has "$output" '^entries +[1-9]'
    has "$output" "^latest +$(date +%Y)"
    run --separate-stderr "$APTUNE" cache --keep 0
    status_is 0
    has "$output" '^entries +0, 0\.0 MB$'
}
