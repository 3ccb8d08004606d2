#!/usr/bin/env bats
# Replays of a synthetic recording, whose times are made up.
load common
holds='.*'
held_files=csv

@test "tier 0 drops what the device cannot run, and --why says it" {
    cp "$data/synthetic.cu" .
    sed 's/64, 128, 256/64, 512, 1024, 2048/' "$data/synthetic.spec" >x.spec
    sed -i '/^require/d' x.spec
    tune --space x.spec --dry-run --arch 8800gtx --json
    status_is 0
    json '.configurations == 12 and .tier0_dropped."too many threads in a block" == 6'

    tune --carve --space x.spec --arch sm_90 --why "THREADS=2048 EACH=1"
    status_is 0
    has "$output" '^tier 0 +3  dropped by the limits of NVIDIA H200'
    has "$output" '^THREADS=2048 EACH=1: dropped by tier 0: too many threads in a block'
    has "$output" '^compiled +9  0 failed'
}

@test "--dry-run says what compiling takes: by what this folder compiled before, by the recording, by a guess" {
    mkdir -p space/recordings out
    cp "$data"/synthetic.cu "$data"/synthetic.spec space
    tune --space space/synthetic.spec --dry-run --arch sm_90 --jobs 2 --output out --json
    json '.compile | .configurations == 8 and .measured == 0 and .each_s == 0.28 and .seconds == 1.12'
    "$tests/synthetic_recording" --cost 2 space/synthetic.spec space/recordings
    tune --space space/synthetic.spec --dry-run --jobs 2 --output out --json
    json '.compile | .measured == 8 and .each_s == 2.875 and .seconds == 11.5'
    "$tests/synthetic_recording" --cost 20 space/synthetic.spec out
    tune --space space/synthetic.spec --dry-run --jobs 2 --output out
    has "$output" '^compile +8  configurations, about 115 s with 2 jobs \(at 28.75 s each, as 8 took in out/synthetic.times; '
}

@test "to carve by nothing is to carve by the spec's own lines" {
    make_synthetic
    tune --space space/synthetic.spec --carve --emit none
    status_is 0
    local own=$output
    tune --space space/synthetic.spec --carve= --emit none
    status_is 0
    local times='[0-9] s|^  [a-z ]+ [0-9]+\.[0-9]+ +[0-9]+\.[0-9]+$' # seconds of the program, those of the ledger among them
    [ "$(grep -Ev "$times" <<<"$output")" = "$(grep -Ev "$times" <<<"$own")" ]
    tune --space space/synthetic.spec --carve='best 1 by bound_cycles' --emit none
    status_is 0
    [ "$output" != "$own" ]
}

@test "--why takes parameters in any order, and says what is wrong with others" {
    make_synthetic
    tune --carve --space space/synthetic.spec --why "EACH=2, THREADS=64"
    status_is 0
    has "$output" '^THREADS=64 EACH=2: '

    tune --carve --space space/synthetic.spec --why "THREADS=64 EACH=3"
    status_is 2
    has "$stderr" "EACH has no value '3'; it has 1, 2, 4$"

    tune --carve --space space/synthetic.spec --why "THREAD=64 EACH=2"
    status_is 2
    has "$stderr" "no parameter 'THREAD'; did you mean 'THREADS'\?"

    tune --carve --space space/synthetic.spec --why "THREADS=128"
    status_is 2
    has "$stderr" "leaves out EACH: name all parameters, for example THREADS=128 EACH=1$"

    tune --carve --space space/synthetic.spec --why "THREADS=256 EACH=2"
    status_is 2
    has "$stderr" "synthetic.spec:6:9: error: this excludes 'THREADS=256 EACH=2'; .* THREADS=64 EACH=2$"

    tune --space space/synthetic.spec --why nonsense
    status_is 2
    has "$stderr" "'nonsense' is not of the form NAME=VALUE"
}

@test "--why needs no parameter that has one value only" {
    cp "$data/synthetic.cu" .
    { cat "$data/synthetic.spec"; echo 'param MODE in 7'; } >x.spec
    tune --carve --space x.spec --arch sm_90 --why "EACH=2 THREADS=64"
    status_is 0
    has "$output" '^THREADS=64 EACH=2 MODE=7: '

    tune --carve --space x.spec --arch sm_90 --why "EACH=2 THREADS=64 MODE=8"
    status_is 2
    has "$stderr" "MODE has no value '8'; it has 7$"

    { cat "$data/synthetic.spec"; echo 'param TWICE in 2 * EACH'; echo 'param TEN in range(11)'; echo 'require TEN == 2 * 5'; } >x.spec
    tune --carve --space x.spec --arch sm_90 --why "EACH=2 THREADS=64"
    status_is 0
    has "$output" '^THREADS=64 EACH=2 TWICE=4 TEN=10: '
    tune --carve --space x.spec --arch sm_90 --why "TWICE=4 THREADS=64"
    status_is 2
    has "$stderr" "leaves out EACH: "
}

@test "a value with blanks or commas is quoted in names, and where they are given" {
    cp "$data/synthetic.cu" .
    { cat "$data/synthetic.spec"; echo "param TYPE in \"unsigned int\", \"8, 4\", \"float\", \"it's\""; } >x.spec
    why() { tune --carve --space x.spec --arch sm_90 --why "$1"; }
    why "TYPE='8, 4',THREADS=64 EACH=1"
    status_is 0
    has "$output" "^THREADS=64 EACH=1 TYPE='8, 4': "
    why "TYPE=\"it's\" EACH=1 THREADS=64"
    status_is 0
    has "$output" '^THREADS=64 EACH=1 TYPE="it.s": '
    why 'THREADS=64 EACH=1 TYPE="float"'
    status_is 0
    has "$output" '^THREADS=64 EACH=1 TYPE=float: '
    why "TYPE=8, 4, THREADS=64 EACH=1" # a shell took the quotes
    status_is 0
    has "$output" "^THREADS=64 EACH=1 TYPE='8, 4': "
    why "TYPE=8, THREADS=64 EACH=1"
    status_is 2
    has "$stderr" "TYPE has no value '8'; it has 'unsigned int', '8, 4', float, \"it's\"$"
}

@test "without --compile nothing is compiled where the recording's sources are these" {
    make_synthetic
    tune --carve --space space/synthetic.spec --json
    status_is 0
    json '.source == "replayed" and .device == "synthetic device, nothing was measured"'
    json '.compiled == 8 and .workers_started == 0 and .from_cache == 0'
}

@test "--compile gives the same selection and winner as the recorded profiles" {
    make_synthetic
    tune --carve --space space/synthetic.spec --json
    local recorded=$output
    tune --carve --space space/synthetic.spec --json --compile
    status_is 0
    json '.from_cache == 8'
    # The code is in the cache, its profile on a device of another name is not.
    local but='del(.seconds, .ledger, .from_cache, .workers_started)'
    [ "$(jq -S "$but" <<<"$output")" = "$(jq -S "$but" <<<"$recorded")" ]
}

@test "an edited comment costs compiling, and the times still hold" {
    make_synthetic
    tune --carve --space space/synthetic.spec --json
    local recorded=$output
    sed -i 's/A small template/A small and edited template/' space/synthetic.cu
    tune --carve --space space/synthetic.spec --json
    status_is 0
    json '.workers_started + .from_cache > 0 and .stale == 0 and .timed == .selected'
    [ "$(jq .best <<<"$output")" = "$(jq .best <<<"$recorded")" ]
    [ "$(jq .exhaustive_best_ms <<<"$output")" = "$(jq .exhaustive_best_ms <<<"$recorded")" ]
}

@test "times of other code are not used" {
    make_synthetic
    sed -i 's/WEIGHT 3.0f/WEIGHT 5.0f/' space/synthetic.cu
    tune --carve --space space/synthetic.spec --json
    status_is 1
    json '.stale == .selected and .timed == 0 and .best == null and .exhaustive_best_ms == null'
    has "$stderr" 'warning: 1 of the selected configurations compile to other code than was recorded'

    tune --carve --space space/synthetic.spec
    status_is 1
    has "$output" '^stale +1  '
    has "$output" '^best +not known: nothing was timed'
    [ ! -e aptune-out/synthetic/synthetic_1.cu ]
}

@test "a wrong result is counted and never wins" {
    make_synthetic
    tune --space space/synthetic.spec --json --exhaustive
    status_is 0
    json '.timed == 8 and .wrong == 1'
    json '.best.parameters == {"THREADS": 256, "EACH": 1} and .best.time_ms == .exhaustive_best_ms'
}

@test "polish times what a metric thought little of, but not what a threshold forbids" {
    make_synthetic
    sed -i '/^carve/d' space/synthetic.spec
    { echo 'carve EACH < 4'; echo 'carve best 1 by lower registers'; } >>space/synthetic.spec
    tune --carve --space space/synthetic.spec --json
    status_is 0
    json '.selected == 1'

    echo 'polish 5' >>space/synthetic.spec
    tune --carve --space space/synthetic.spec --json
    status_is 0
    json '.selected > 1 and .timed == .selected'
    # EACH is the second column, `selected` stands behind the code.
    [ "$(awk -F, '$2 == 4 && $4 == 1' aptune-out/synthetic/configurations.csv | wc -l)" -eq 0 ]
    [ "$(awk -F, '$2 != 4 && $3 == "ok" && $4 == 0' aptune-out/synthetic/configurations.csv | wc -l)" -eq 0 ]
}

@test "a small space without carve lines has four timed" {
    make_synthetic
    sed -i '/^carve/d' space/synthetic.spec
    tune --carve --space space/synthetic.spec
    status_is 0
    has "$output" '^selected +4  '
    has "$output" '^ +3  of 8 left by the default: best 3 by predicted_cycles, spread over the parameters$'
    has "$output" '^ +1  more chosen from those times \(polish\)$'
}

@test "a recording of another problem size is not replayed, and a note says so" {
    make_synthetic
    sed -i 's/N = 65536/N = 131072/' space/synthetic.spec
    tune --carve --space space/synthetic.spec
    status_is 2
    has "$stderr" "there is no recording of space 'synthetic' that fits"
    has "$stderr" "note: not replayed: 'space/recordings/synthetic.times': .*N=65536.*N=131072"
}

@test "a threshold may use names of the problem, parameters and derived ones" {
    make_synthetic
    sed -i 's|^carve THREADS.*|let SPAN = THREADS * EACH\ncarve SPAN < N / 64 and EACH < 4|' space/synthetic.spec
    tune --carve --space space/synthetic.spec --arch sm_90
    status_is 0
    has "$output" '^ +5  of 8 left by carve SPAN < N / 64 and EACH < 4'
}

@test "a capability, however it is written, asks for a recording of any of its devices" {
    make_synthetic
    for arch in sm_90 compute_90 90 9.0; do
        tune --carve --space space/synthetic.spec --arch $arch --json
        status_is 0
        json '.source == "replayed"'
    done
    for arch in h200 sm_80; do
        tune --carve --space space/synthetic.spec --arch $arch --json
        status_is 0
        json '.source == "static"'
        has "$stderr" 'note: not replayed: .*synthetic.times'
    done
}

@test "a recording of other parameters is not replayed" {
    make_synthetic
    echo 'param IDLE in 0, 1' >>space/synthetic.spec
    tune --carve --space space/synthetic.spec --arch sm_90
    status_is 0
    has "$output" '^times +STATIC'
    has "$stderr" "note: not replayed: 'space/recordings/synthetic.times': the space has other parameters"
}

@test "the order of the parameters in the spec may differ from the recording's" {
    make_synthetic
    tune --carve --space space/synthetic.spec --json
    local best
    best=$(jq .best.time_ms <<<"$output")
    sed -i '/^param THREADS/d; s/^param EACH.*/&\nparam THREADS in 64, 128, 256/' space/synthetic.spec
    tune --carve --space space/synthetic.spec --json
    status_is 0
    json ".timed == 1 and .best.time_ms == $best"
}

@test "a damaged recording is not replayed, and a note says where the damage is" {
    make_synthetic
    sed -i '3s/1/2/' space/recordings/synthetic.times
    tune --carve --space space/synthetic.spec
    status_is 2
    has "$stderr" "note: not replayed: .*synthetic.times:3: the line is damaged"
}

@test "a damaged profile is made anew" {
    make_synthetic
    tune --carve --space space/synthetic.spec --json
    local whole=$output
    sed -i '3s/1/2/' space/recordings/synthetic.profile
    tune --carve --space space/synthetic.spec --json
    status_is 0
    has "$stderr" 'warning: .*synthetic.profile.*; its profiles are made again'
    json '.from_cache == 8'
    [ "$(jq .best <<<"$output")" = "$(jq .best <<<"$whole")" ]
    make_synthetic
    truncate -s -20 space/recordings/synthetic.profile
    tune --carve --space space/synthetic.spec --json
    status_is 0
    has "$stderr" 'warning: .*synthetic.profile. ends inside a line; later profiles are made again'
    [ "$(jq .best <<<"$output")" = "$(jq .best <<<"$whole")" ]
}

@test "profiles of an earlier version are taken, with a warning, where their fields mean the same" {
    local header=$SOURCE/metrics/metric/profile_build.h since now version
    since=$(grep -oP 'PROFILER_SINCE = \K[0-9]+' "$header")
    now=$(grep -oP 'PROFILER_VERSION = \K[0-9]+' "$header")
    make_synthetic
    for version in $((since - 1)) $since $now $((now + 1)); do
        rm space/recordings/*
        "$tests/synthetic_recording" --profiler "$version" space/synthetic.spec space/recordings
        tune --carve --space space/synthetic.spec --json
        status_is 0
        if [ "$version" -lt "$since" ] || [ "$version" -gt "$now" ]; then
            json '.from_cache == 8' # made anew
        else
            json '.compiled == 8 and .from_cache == 0 and .workers_started == 0'
        fi
        if [ "$version" -ge "$since" ] && [ "$version" -lt "$now" ]; then
            has "$stderr" "synthetic.profile' was made by profiler $version, this is profiler $now: its counts"
        else
            lacks "$stderr" 'was made by profiler'
        fi
    done
}

@test "a recording that lacks configurations gives no comparison" {
    make_synthetic
    sed -i '/"end"/d; 8d' space/recordings/synthetic.times
    tune --space space/synthetic.spec --json --exhaustive
    status_is 0
    has "$stderr" "synthetic.times:8: a line is missing before this one"
    has "$stderr" "synthetic.times' has no end"
    has "$stderr" '1 of the selected configurations are not in the recording'
    json '.timed == 7 and .relative_performance == null and .exhaustive_best_ms == null'
}

@test "problems behind the first that no recording is of are passed over, and named" {
    tune --space "$SOURCE/spaces/reduce.spec" --emit none
    status_is 0
    has "$output" '^best +BLOCK='
    has "$stderr" "^aptune: warning: not tuned for 'N=1073741824': --no-gpu was given, and there is no recording of it"

    tune --space "$SOURCE/spaces/reduce.spec" --problem N=1073741824 --emit none
    status_is 2
    has "$stderr" "there is no recording of space 'reduce' that fits"
}
