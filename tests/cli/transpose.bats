#!/usr/bin/env bats
# The shipped transpose, counted and replayed from its recording.
load common
holds='.*'
held_files=csv

transpose() {
    tune --space "$SOURCE/spaces/transpose.spec" "$@"
}

@test "every point of the transpose is valid or rejected by a constraint" {
    transpose --dry-run --recordings "$BATS_TEST_TMPDIR" --json
    status_is 0
    json '.points == 900 and .configurations == 296'
    json '.points - ([.constraints[].rejected] | add) == .configurations'
}

@test "the transpose is replayed with its default carving" {
    transpose --carve --json
    status_is 0
    [ -z "$stderr" ]
    json '.space == "transpose" and .problem == "rows=8192 cols=8192"'
    json '.device == "NVIDIA H200" and .arch == "sm_90" and .source == "replayed"'
    json '.configurations == 296 and .compiled == 296 and .failed == 0 and .distinct == 296'
    json '.selected == .timed and .wrong == 0 and .stale == 0 and .selected < .distinct'
    json '(.best.parameters | keys) == (["TILE","BLOCK_ROWS","VARIANT","PAD","SWIZZLE","VEC"] | sort)'
    json '.relative_performance > 0.98 and .relative_performance <= 1 and .exhaustive_best_ms > 0'
    json '.random_relative_performance > 0 and .random_relative_performance <= 1'
    json '.workers_started == 0 and .from_cache == 0'
    # At most a tenth of so small a space, polish included, and the best or as good.
    json '.selected <= 29 and .relative_performance >= 0.99'
}

@test "every configuration of the transpose is in the recording, and right" {
    transpose --json --exhaustive
    status_is 0
    json '.selected == 296 and .timed == 296 and .wrong == 0 and .stale == 0'
    json '.relative_performance == 1 and .best.time_ms < 1.01 * .exhaustive_best_ms' # or tied with it
}
