#!/usr/bin/env bats
# Tuning for energy, with a GPU process that makes times and power up (tests/cli/synthetic_gpu.c).
load common
holds='.*'
held_files=csv

setup() {
    set_up
    make_synthetic_gpu
    printf 'objective energy\n' >>space/many.spec
}

energy() { run --separate-stderr "$fake" --space space/many.spec --exhaustive --emit none "$@"; }

@test "the winner is what uses least, and the front has what no other beats in time and energy" {
    hold_nothing
    SYNTHETIC_WATTS=100 SYNTHETIC_FRUGAL=1 energy --output out --json
    status_is 0
    recording=$(ls out/many.times)
    # The longer, the less: the slowest wins, and all of distinct times are on the front.
    most=$(jq 'select(.status == "ok") | .t[0]' "$recording" | sort -g | tail -n 1)
    count=$(jq 'select(.status == "ok") | .t[0]' "$recording" | sort -gu | wc -l)
    json "(.best.time_ms - $most) | fabs < 1e-6"
    json ".energy_front | length == $count"
    json '[.energy_front[].time_ms] | . == sort'
    json '[.energy_front[].joules] | . == (sort | reverse)'
    json '.best.joules == .energy_front[-1].joules'
    SYNTHETIC_WATTS=100 SYNTHETIC_FRUGAL=1 energy --output seen
    has "$output" 'the winner is the most frugal beyond doubt'
    # The report draws both, and the front through all of them.
    has "$(cat out/pictures/many-energy.svg)" 'Time and energy of a run'
    [ "$(head -n 1 "$recording" | jq -r .objective)" = energy ]
    jq -se '[.[] | select(.status == "ok") | (.j * .t[0] - 0.1 / 1.1) | fabs < 1e-6] | all' "$recording" >/dev/null

    # A replay and a study decide as the run did.
    mkdir recordings && cp "$recording" "${recording%.times}.profile" recordings
    run --separate-stderr "$APTUNE" --space space/many.spec --recordings recordings --no-gpu --exhaustive --emit none --output again --json
    status_is 0
    json "(.best.time_ms - $most) | fabs < 1e-6"
    json ".energy_front | length == $count"
    run --separate-stderr "$APTUNE" study recordings/many.times --seeds 0 --output studied
    status_is 0
    has "$output" '^Time and energy of a run'
    has "$output" 'energy'
    # Of a part of the recording, too, and what carving left of it is not called what was timed.
    mkdir part && head -n 6 "$recording" >part/many.times
    run --separate-stderr "$APTUNE" --space space/many.spec --recordings part --no-gpu --exhaustive --emit none --output some
    status_is 0
    lacks "$(cat some/pictures/many-energy.svg)" 'not timed'
    # What a carving found by energy is shown with its time.
    run --separate-stderr "$APTUNE" study recordings/many.times --seeds 0 --output studied --json
    json ".carvings | length > 0 and all(.best_ms <= $most)"
}

@test "power that is the same for all leaves the fastest the winner, and alone on the front" {
    SYNTHETIC_WATTS=100 energy --output out
    status_is 0
    has "$output" ' J a run '
    has "$output" '^front +of time and energy: 1 not dominated by any other$'
}

@test "a device that does not count what it uses is an error, and nothing is recorded as right" {
    energy --output out
    status_is 1
    has "$stderr" 'the objective is energy, but synthetic device'
    has "$stderr" 'has no energy counter'
    [ "$(jq -c 'select(.status == "ok")' out/many.times | wc -l)" -eq 0 ]
}

@test "the shipped recording by energy: its front is two, and the most frugal wins" {
    tune --space "$SOURCE/spaces/mm-thesis-energy.spec" --emit none --json --output out
    status_is 0
    json '.best.parameters == {TILE: 32, RECT: 4, UNROLL: 32, PREFETCH: 0, SPILL: 2}'
    json '[.energy_front[].joules * 1000 | round] == [580, 569]'
    json '.best.joules == .energy_front[1].joules'
}
