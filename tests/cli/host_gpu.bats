#!/usr/bin/env bats
# The default run on a GPU that is the processor (tests/gpu/host): the measuring process itself, not a stand-in that makes its
# times up.  What is fast there says nothing; what is right does.
load common

setup() {
    [ -e "$tests/host/libcuda.so.1" ] || skip "no C++ compiler made the driver"
    export LD_LIBRARY_PATH=$tests/host:$LD_LIBRARY_PATH
    export HOST_GPU APTUNE_CACHE=$BATS_TEST_TMPDIR/cache
    HOST_GPU=$(printf %08d $$)
    cd "$BATS_TEST_TMPDIR" || return
    cp "$SOURCE/tests/gpu/smoke.cu" .
    cat >product.spec <<'EOF2'
kernel "smoke.cu" product
problem N = 16384
param BLOCK in 32, 64, 128, 256
param UNUSED in 1
block BLOCK
grid ceil_div(N, BLOCK)
in A : float[N] = uniform(-1, 1)
in B : float[N] = uniform(-1, 1)
out C : float[N]
arg n : int = N
arg k : float = 0.25
reference first
tolerance 1e-5
EOF2
}

teardown() {
    rm -f "/tmp/aptune-$(sed -E 's/./3&/g; s/(.{8})(....)(....)/GPU-\1-\2-\3-0000-000000000000.lock/' <<<"$HOST_GPU")"
}

tune() {
    run --separate-stderr "$APTUNE" product.spec --jobs 2 --cache warm --json "$@"
    status_is 0
}

# Times, not results, would get better by more rounds: by default they take 8 s.
bench() {
    run --separate-stderr "$APTUNE" bench "$@" --rounds 6 --sustain 0.1
    status_is 0
}

@test "every code is timed once, whether it was compiled or comes from the cache" {
    sed -i 's/^param UNUSED.*/param UNUSED in 1, 2, 3/' product.spec
    tune --output first
    json '.search.compiled == 12 and .search.timed == 4 and .search.end == "everything was compiled and timed"'
    tune --output second
    json '.search.compiled == 12 and .search.timed == 4'
}

@test "the winner's emitted code is right when it is run" {
    tune --output out
    bench product.spec --emitted out/product.json
    has "$output" 'origin +the emitted code beside out/product.json'
    has "$output" 'UNUSED=1; right, exactly'
}

@test "a kernel that repeats 0 times is not launched, neither when timed nor when emitted" {
    sed "s/^reference.*/reference \"smoke.cu\" product block 64 grid ceil_div(N, 64)/; s/^param UNUSED.*/param TWICE in 0, 1/" product.spec >maybe.spec
    printf '%s\n' 'kernel "smoke.cu" twice' 'block BLOCK' 'grid ceil_div(N, BLOCK)' 'args C, n' 'repeat TWICE' >>maybe.spec
    run --separate-stderr "$APTUNE" maybe.spec --jobs 2 --cache warm --json --output out
    status_is 0
    json '.search.timed == 8 and .wrong >= 3 and .best.parameters.TWICE == 0'
    bench maybe.spec --emitted out/maybe.json
    has "$output" 'TWICE=0; right, exactly'
    run --separate-stderr "$APTUNE" maybe.spec --jobs 2 --cache warm --output again --exhaustive
    status_is 0
    [ "$(grep -cE '"code":"[0-9a-f]{32}[+][0-9a-f]{32}"' again/maybe.times)" -eq 8 ] # of both kernels, launched or not
    run --separate-stderr "$APTUNE" maybe.spec --no-gpu --recordings again --json --output replayed
    status_is 0
    json '.source == "replayed" and .configurations == 8 and .best.parameters.TWICE == 0 and .best.metrics.predicted_cycles > 0'
}

# Twice the product only if each product is followed by its doubling.
@test "kernels that repeat together take turns, when timed, as a reference, and when emitted" {
    sed "s/^reference.*/reference \"smoke.cu\" product block 64 grid ceil_div(N, 64) args A, B, C, n, k repeat S in range(2)/" product.spec >turns.spec
    printf '%s\n' 'reference "smoke.cu" twice block 64 grid ceil_div(N, 64) args C, n repeat together' \
        'kernel "smoke.cu" twice' 'block BLOCK' 'grid ceil_div(N, BLOCK)' 'args C, n' >>turns.spec
    sed "s/^reference.*product.*/&/; s/ repeat S in range(2)//; s/ repeat together//; s/^in A/repeat S in 5, 2, 4\nin A/" turns.spec >swapped.spec
    echo 'repeat together' >>swapped.spec
    for spec in turns swapped; do
        run --separate-stderr "$APTUNE" $spec.spec --jobs 2 --cache warm --json --output $spec
        status_is 0
        json '.search.timed == 4 and .wrong == 0'
        bench $spec.spec --emitted $spec/$spec.json
        has "$output" 'right, exactly'
    done
}

@test "a cooperative kernel is launched as such, when timed and when emitted" {
    sed "s/^reference.*/reference \"smoke.cu\" product block 64 grid ceil_div(N, 64)/; s/16384/8192/; s/^in A/cooperative\nin A/" product.spec >together.spec
    run --separate-stderr "$APTUNE" together.spec --jobs 2 --cache warm --json --output out --exhaustive
    status_is 0
    # 256 blocks of 32 threads do not fit on 4 multiprocessors; 128 of 64 do, but the driver of this GPU takes 64.
    json '.best.parameters.BLOCK >= 128 and .wrong == 0'
    has "$output" '256 blocks are launched together, but the device holds 128 of them'
    grep -q 'cuLaunchCooperativeKernel: ' out/together.times
    bench together.spec --emitted out/together.json
    has "$output" 'BLOCK=(128|256) .*right, exactly'
    grep -q '^            0, 1,$' out/together.c
}

# Kernels of which none is right: wrong results, one that ends its process, one that writes beside its buffer.
@test "what is wrong and what faults has no winner, and says why" {
    local kernel words
    while read -r kernel words; do
        sed "s/\"smoke.cu\" product/\"smoke.cu\" $kernel/
            s/^reference.*/reference \"smoke.cu\" product block 64 grid ceil_div(N, 64)/" product.spec >"$kernel.spec"
        run --separate-stderr "$APTUNE" "$kernel.spec" --jobs 2 --cache warm --output "$kernel"
        status_is 1
        has "$output" "$words"
        has "$output" 'best +none: no configuration gave a right result'
    done <<'END'
product_wrong 17 of 16384 elements wrong
product_illegal 4 +faulted, each ending a GPU process
product_past_end wrote past the end of 'C'
END
}
