#!/usr/bin/env bats
# aptune study with metrics of one's own: mistakes are shown where they are, what cannot be computed
# is counted.
load common
holds='.*'
held_files=csv

branching=$SOURCE/spaces/recordings/branching-h200.times.zst

study() {
    run --separate-stderr "$APTUNE" study "$branching" --seeds 0 --output out "$@"
}

# A file of metrics and a study with it.
study_with() {
    printf '%s\n' "$1" >mine.metrics
    study --metrics mine.metrics "${@:2}"
}

@test "a mistake in a metrics file is shown with line, column, caret and what may be meant" {
    study_with '# two lines down

metric mine lower "cycles" "Made up." = instrr + 1
metrc other lower "cycles" "Made up." = instr'
    status_is 2
    has "$stderr" "^mine.metrics:3:41: error: unknown name 'instrr'; did you mean 'instr'\?"
    has "$stderr" '^ +\^~~~~~$'
    has "$stderr" "^mine.metrics:4:1: error: unknown statement 'metrc'; did you mean 'metric'\?"
    [ ! -e out ]
}

@test "a metric that is nowhere known is in the tables as such, with the reason" {
    study_with 'metric mine lower "cycles" "Made up." = instr / (regions - regions)' --json
    status_is 0
    has "$stderr" "^mine.metrics:1:41: warning: 'mine' has no value for 393 of 393 configurations of branching: division by zero"
    json '.metrics[] | select(.metric == "mine") |
          .known == 0 and .unknown == 393 and .regret == null and .rank_correlation == null and
          .place_of_best == null and .reason == "division by zero"'
    grep -q '^branching,mine,0,393,,,,,39,,,,division by zero$' out/metrics.csv
}

@test "a metric that some lack says how many, and counts the others" {
    study_with 'metric mine lower "cycles" "Made up." = stall_share * 2' --json
    status_is 0
    has "$stderr" "^mine.metrics:1:8: warning: 'mine' has no value for 11 of 393 configurations of branching: 'stall_share' is not known"
    json '.metrics[] | select(.metric == "mine") | .known == 382 and .unknown == 11'
    json '[.metrics[] | select(.metric == "stall_share" and .unknown != 11)] == []'
    json '[.metrics[] | .known + .unknown] | unique == [393]'
}

@test "what is not a number, or not a finite one, is no value" {
    study_with 'metric root lower "cycles" "Made up." = (0 - instr) ** 0.5
metric huge lower "cycles" "Made up." = instr * 1e308 * 1e308' --json
    status_is 0
    json '[.metrics[] | select(.metric == "root" or .metric == "huge") | .known] == [0, 0]'
    json '[.metrics[] | select(.metric == "root" or .metric == "huge") | .reason] ==
          ["the result is not a number", "the result is not a finite number"]'
}

@test "several files may be given, and a later one uses the earlier" {
    echo 'metric one lower "cycles" "Made up." = instr' >one.metrics
    echo 'metric two lower "cycles" "Made up." = one * 2' >two.metrics
    study --metrics one.metrics --metrics two.metrics --json
    status_is 0
    json '[.metrics[] | select(.metric == "one" or .metric == "two") | .known] == [393, 393]'
}

@test "names of metrics in options are suggested" {
    study --guess predicted_cycle
    status_is 2
    has "$stderr" "error: --guess: unknown metric 'predicted_cycle'; did you mean 'predicted_cycles'\?"
    study --fit bound_cycles,latency_cycle
    status_is 2
    has "$stderr" "error: --fit: unknown metric 'latency_cycle'; did you mean 'latency_cycles'\?"
}

@test "a file that cannot be read is named" {
    study --metrics none.metrics
    status_is 2
    has "$stderr" "cannot open 'none.metrics'"
}

@test "where the spec compares by work, a study does, and finds the winner of a run" {
    make_synthetic
    printf 'work items = EACH ** 3\nobjective items\n' >>space/synthetic.spec
    rm space/recordings/*
    "$tests/synthetic_recording" --right space/synthetic.spec space/recordings
    grep -q '"objective":"items"' space/recordings/synthetic.times
    tune --space space/synthetic.spec --exhaustive --json
    status_is 0
    best=$(jq -r '.best.time_ms / (.best.parameters.EACH * .best.parameters.EACH * .best.parameters.EACH)' <<<"$output")
    run --separate-stderr "$APTUNE" study space/recordings/synthetic.times --seeds 0 --output out --json
    status_is 0
    json '.carvings[0].objective == "time per items"'
    json ".carvings[0] | (.best_ms / (1 + .regret) - $best) | fabs < 1e-9"
}
