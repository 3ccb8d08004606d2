#!/usr/bin/env bats
# aptune platform: models fitted to recordings, and devices compared.
load common
holds='.*'
held_files=csv

@test "two platforms of the thesis stand side by side as printed" {
    run --separate-stderr "$APTUNE" platform 8500gt gtx280
    status_is 0
    has "$output" 'NVIDIA GeForce 8500 GT +NVIDIA GeForce GTX 280 +B / A'
    has "$output" 'slowdown_read +2.5 \+- 0.25 +4.0 \+- 0.25 +1.600'
    has "$output" 'slowdown_both +5.0 \+- 0.5 +9.0 \+- 1.0 +1.800'
    has "$output" 'slowdown_bank_both +7.60 \+- 0.05 +7.55 \+- 0.05 +0.993'
    has "$output" 'slowdown_barriers +– +20'
    lacks "$output" 'latency_l2'
}

@test "where both have measured branches, model 3.1 stands once, behind the slowdowns" {
    run --separate-stderr env COLUMNS=200 "$APTUNE" platform h200 h200
    status_is 0
    [ "$(grep -c 'model 3.1' <<<"$output")" = 1 ]
    # 10 branches take 9.1534 times as long; each of the nine behind the first 0.906.
    has "$output" '^  2 +1\.91 +1\.91'
    has "$output" '^  10 +9\.15 +9\.15'
    [ "$(grep -n 'model 3.1' <<<"$output" | cut -d: -f1)" -lt "$(grep -n 'prefix sum of chapter 7' <<<"$output" | cut -d: -f1)" ]
}

@test "two platforms as JSON, and in pictures where both have numbers" {
    run --separate-stderr "$APTUNE" platform 8500gt gtx280 --json --output pictures
    status_is 0
    [ "$(jq -r '.devices[1]' <<<"$output")" = "NVIDIA GeForce GTX 280" ]
    [ "$(jq -c '.numbers[] | select(.name == "slowdown_read") | [.a, .b, .ratio] | map(. * 10)' <<<"$output")" = "[25,40,16]" ]
    [ "$(jq -c '.numbers[] | select(.name == "slowdown_barriers") | [.a, .ratio]' <<<"$output")" = "[null,null]" ]
    has "$(cat pictures/patterns.svg)" 'GTX 280'
    [ -s pictures/patterns.pdf ]
    [ ! -e pictures/branches.svg ]
}

@test "a platform that is only compared is no device to tune for" {
    run --separate-stderr "$APTUNE" devices gtx280
    status_is 2
    has "$stderr" "unknown device 'gtx280'"
    run --separate-stderr "$APTUNE" platform h200 nothing
    status_is 2
    has "$stderr" "unknown device 'nothing'"
}

@test "without a GPU the suite says what can be done" {
    run --separate-stderr env CUDA_VISIBLE_DEVICES= "$APTUNE" platform --from .
    status_is 1
    has "$stderr" 'there is no recording of any platform benchmark'
}

@test "a model that does not describe is told, one that does gives its number" {
    cat >own.models <<'END'
fit straight of "sync" "Launches, as a line."
where METHOD == 1 and BLOCK == 256
model time is start + each * OPERATIONS / BETWEEN
from start = 1e-5, each = 3e-5
within 1 %
gives slowdown_launches = each / start

fit bent of "sync" "Launches that each take their data, or their work."
where METHOD == 1 and BLOCK == 256
model time is OPERATIONS / BETWEEN * data * (1 + (work * BETWEEN / data) ** power) ** (1 / power)
from data = 5e-5, work = 1e-6, power = 4
within 5 %
gives memory_copy = 8 * N / data

fit composed of "sync" "A copy each, and nothing else."
where METHOD in [2 ** METHOD // 2, 1] and METHOD == 1 and BLOCK == 256 and BETWEEN == 1
model time is 96 * 8 * N / bandwidth
within 100 %

fit idle of "sync" "A floor that no launch comes down to."
where METHOD == 1 and BLOCK == 256
model time is max(OPERATIONS / BETWEEN * each, floor)
from each = 3e-5, floor = 1e-9
within 100 %
gives cost_timing = floor, memory_write = 8 * N / each
END
    run --separate-stderr "$APTUNE" platform --models own.models --from "$SOURCE/spaces/recordings" --output out
    status_is 0
    has "$output" 'straight +Launches, as a line'
    has "$output" 'DOES NOT DESCRIBE THIS PLATFORM'
    has "$output" 'Do combined patterns add up\?'
    has "$output" '→ slowdown_launches is not given: the model does not describe'
    has "$output" 'floor +1e-09 +not measured: no configuration depends on it'
    has "$output" "→ cost_timing is not given: no measured point depends on 'floor'"
    has "$output" '→ memory_write = '
    has "$output" 'Not known to within 2 %'
    run --separate-stderr "$APTUNE" devices out/h200.device
    status_is 0
    has "$output" "slowdown_launches .*fit 'outside'.* \(fit 'straight' of 20[0-9-]+ gave none\)"
    lacks "$output" "cost_timing  .*measured \"aptune platform, fit 'idle'"
    has "$output" "memory_copy .*measured \"aptune platform, fit 'bent'"
    [ "$(wc -l <out/points.csv)" -eq 38 ]
}

@test "a mistake in a model is shown with its place" {
    printf 'fit a of "sync" "B."\nmodel time is start + unknown\nfrom start = 1\n' >own.models
    run --separate-stderr "$APTUNE" platform --models own.models --from "$SOURCE/spaces/recordings" --output out
    has "$stderr" "own.models:2:23: error: unknown name 'unknown'"
}
