#!/usr/bin/env bats
# --sanitize, with a GPU process that makes times up (tests/cli/synthetic_gpu.c) under a program
# that stands in for compute-sanitizer.
load common
holds='.*'
held_files=csv

setup() {
    set_up
    make_synthetic_gpu
    sed -i 's/^param EACH in .*/param EACH in 1/; s/^param THREADS in .*/param THREADS in 32, 64, 96/' space/many.spec
    mkdir tool
    cat >tool/compute-sanitizer <<'EOF'
#!/bin/sh
while [ "${1##*/}" != aptune-gpu ]; do
    printf ' %s' "$1" >>tool.options
    shift
done
export SYNTHETIC_SAYS=findings SYNTHETIC_KERNEL=$UNDER_TOOL SYNTHETIC_DIES=dies
exec "$@"
EOF
    chmod +x tool/compute-sanitizer
}

sanitize() {
    PATH=$PWD/tool:$PATH run --separate-stderr "$fake" --space space/many.spec --exhaustive --emit none --sanitize --output out "$@"
}

# What the last row of each configuration says.
verdicts() { jq -sr 'map(select(.v)) | group_by(.v) | map(last | .status) | join(" ")' out/many.times; }

@test "what the tool finds makes a fault of the configuration, and of no other" {
    cat >findings <<'EOF'
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at copy+0x70
=========
========= ERROR SUMMARY: 1 error
EOF
    sanitize
    status_is 0
    [ "$(cat tool.options)" = " --tool memcheck --padding 4096 --print-limit 1 --show-backtrace no --report-api-errors no" ]
    has "$output" '^timed +3  2 right, 0 wrong, 1 failed'
    has "$output" 'e\.g\. THREADS=32 EACH=1: compute-sanitizer: Invalid __global__ read of size 4 bytes; at copy\+0x70$'
    has "$output" '^sanitized +3  run under compute-sanitizer, 1 with findings$'
    has "$output" '^final +2 finalists'
    [ "$(verdicts)" = "fault ok ok" ]
}

@test "what the tool found is known though the process died of it" {
    printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 8 bytes\n' >findings
    touch dies
    sanitize
    status_is 0
    has "$output" 'e\.g\. THREADS=32 EACH=1: compute-sanitizer: Invalid __global__ write of size 8 bytes$'
    has "$output" '^sanitized +3  run under compute-sanitizer, 1 with findings$'
    [ "$(verdicts)" = "fault ok ok" ]
}

@test "a kernel whose result is wrong under the tool alone is wrong" {
    export UNDER_TOOL=wrong
    sanitize
    status_is 1
    has "$output" '^timed +3  0 right, 3 wrong, 0 failed'
    has "$output" 'e\.g\. THREADS=32 EACH=1: under compute-sanitizer: made up$'
    has "$output" '^sanitized +3  run under compute-sanitizer, 3 with findings$'
    [ "$(verdicts)" = "wrong wrong wrong" ]
}

@test "a kernel that is too slow for the tool has shown nothing" {
    export UNDER_TOOL=timeout
    sanitize
    status_is 0
    has "$output" '^timed +3  3 right, 0 wrong, 0 failed'
    has "$output" '^sanitized +3  run under compute-sanitizer, 0 with findings$'
    [ "$(verdicts)" = "ok ok ok" ]
}
