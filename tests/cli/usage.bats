#!/usr/bin/env bats
# Commands and options: what is understood, what is refused and how.
load common
holds='.*'
held_files=csv

refused() { # words that standard error must hold, then arguments
    local words=$1
    shift
    run --separate-stderr "$APTUNE" "$@"
    status_is 2
    [ -z "$output" ]
    has "$stderr" "$words"
}

@test "without arguments the usage is shown as a mistake" {
    refused '^usage: aptune \[tune\] FILE.spec'
}

@test "--help and --version are answers" {
    for option in --help -h help; do
        run --separate-stderr "$APTUNE" $option
        status_is 0
        has "$output" '^  aptune inspect '
        [ -z "$stderr" ]
    done
    run --separate-stderr "$APTUNE" --version
    status_is 0
    has "${lines[0]}" '^aptune [0-9]+\.[0-9]+\.[0-9]+$'
    has "$output" '^  built     .*(gcc|Clang) [0-9.]+.*, headers of CUDA [0-9]+\.[0-9]+$'
    has "$output" '^  helpers   /'
}

@test "--version says which NVRTC is found, or that none is" {
    APTUNE_NVRTC=/nowhere run --separate-stderr "$APTUNE" --version
    status_is 0
    has "$output" '^  compiler  none: cannot open NVRTC'
    run --separate-stderr "$APTUNE" --version
    has "$output" '^  compiler  NVRTC [0-9]+\.[0-9]+, .*libnvrtc\.so'
}

@test "a spec or a CUDA file by itself is tuned or gets a first spec, and help is where it is asked for" {
    cp "$data"/pair.* .
    run --separate-stderr "$APTUNE" pair.spec --no-gpu --arch sm_90 --emit none
    status_is 0
    has "$output" '^aptune .*space pair'
    echo '__global__ void k(float *a) { a[threadIdx.x] = 1; }' >one.cu
    run --separate-stderr "$APTUNE" one.cu
    status_is 0
    has "$output" '^./one.spec: written|^one.spec: written'
    run --separate-stderr "$APTUNE" tune --space one.cu
    status_is 2
    has "$stderr" "'one.cu' is a CUDA source, not a spec: .aptune init one.cu. writes one for it"
    for words in "help study" "study -h"; do
        run --separate-stderr "$APTUNE" $words
        status_is 0
        has "$output" '^usage: aptune study'
    done
    for words in -V version; do
        run --separate-stderr "$APTUNE" $words
        status_is 0
        has "$output" '^aptune '
    done
    run bash -c '"$APTUNE" tune --help 2>err | head -1; cat err'
    has "$output" '^usage'
    lacks "$output" 'cannot write'
}

@test "without a GPU the selected ones are shown with their time, their limit and why the next was dropped" {
    cp "$data"/synthetic.* .
    tune --space synthetic.spec --arch sm_90 --emit none
    status_is 0
    has "$output" '^    predicted  limited by    configuration'
    has "$output" '^ +[0-9.]+ (us|ms)  [a-zA-Z0-9, ]+ [A-Z]+='
    has "$output" '^  the next is +[0-9.]+ (us|ms), and was dropped:'
    tune --space synthetic.spec --arch sm_90 --emit none --json
    json '(.predicted | length) == .selected and .predicted[0].predicted_ms > 0 and .predicted[0].limiter != ""'
    json '.next.predicted_ms > 0 and (.next.why | contains("dropped by stage"))'
}

@test "every command takes help, -h, -V and version for what they are meant" {
    hold_nothing
    for command in $("$APTUNE" --help | sed -n 's/^  aptune \([a-z]*\) .*/\1/p'); do
        "$APTUNE" "$command" --help >said
        for word in help -h; do
            "$APTUNE" "$command" $word >as_word
            cmp said as_word
        done
        for word in version -V --version; do
            [ "$("$APTUNE" "$command" $word)" = "$("$APTUNE" --version)" ]
        done
    done
}

@test "every command has a --help" {
    for command in tune explain inspect profile pack devices; do
        run --separate-stderr "$APTUNE" $command --help
        status_is 0
        has "$output" '^usage: aptune '
        [ -z "$stderr" ]
    done
}

@test "--help of tune and explain names every option that is understood" {
    run "$APTUNE" tune --help
    for option in space output exhaustive cache final time-limit sanitize dry-run compile arch why \
        json jobs compile-limit cache-dir problem run-commands recordings device devices mixed \
        shard no-gpu; do
        has "$output" "^  --$option "
    done
    run "$APTUNE" explain --help
    for option in space compile arch no-lines json jobs compile-limit cache-dir recordings device no-gpu; do
        has "$output" "^  --$option "
    done
}

@test "an unknown command is refused with the closest one" {
    refused "unknown command 'inspekt'; did you mean 'inspect'\?" inspekt
}

@test "an unknown option is refused with the closest one" {
    refused "^aptune: unknown option '--exaustive'; did you mean '--exhaustive'\?" --exaustive
    refused "^aptune: unknown option '--outputs'; did you mean '--output'\?" tune --outputs=x
    refused "^aptune: unknown option '--xyzzy'$" tune --xyzzy
    refused "^aptune: unknown option '-x'" tune -x
}

@test "an option without its value, or with one it does not take, is refused" {
    refused '^aptune: --space needs a value' --space
    refused '^aptune: -d needs a value' tune -d
    refused '^aptune: --json takes no value' --json=yes
}

@test "values out of range are refused" {
    for value in 0 -1 2x '' 1025 99999999999999999999; do
        refused '^aptune: --jobs takes a whole number from 1 to 1024' --jobs "$value" --space x
    done
    for value in 0 -1 nan inf 1e300 1s ''; do
        refused '^aptune: --compile-limit takes a number of seconds' --compile-limit "$value"
    done
    refused '^aptune: --device takes a whole number from 0' --device -1
    refused "^aptune: -d knows no letter 'Q'" -d SQ
}

@test "a word too many or too few is refused" {
    refused "^aptune: unexpected argument 'spec'" --space x spec
    refused "unexpected argument 'sm_80'" devices sm_90 sm_80
    refused '^aptune: which recording, into which file\? Try aptune pack FROM TO' pack one
    refused '^aptune: which file\? Try aptune inspect FILE' inspect
}

@test "--space is required" {
    refused '^aptune: no space is given: use --space FILE' tune
}

@test "a spec that is not there is named" {
    refused "cannot open 'none.spec': No such file or directory" --space none.spec
}

@test "mistakes in a spec are shown with line and caret, all of them" {
    cat >x.spec <<'END'
kernel "k.cu" k
param BM in 1, 2
require BMM > 1
block 32
grid 1
require BM %
END
    echo >k.cu
    refused "^x.spec:3:9: error: .*'BMM'" --space x.spec
    has "$stderr" '^    require BMM > 1'
    has "$stderr" '^            \^~~'
    has "$stderr" '^x.spec:6:'
}

@test "mistakes in carving are shown before anything is compiled" {
    { cat "$data/synthetic.spec"; echo 'carve front eficiency, registers'; } >x.spec
    cp "$data/synthetic.cu" .
    export APTUNE_CACHE=$PWD/none
    refused "^x.spec:14:13: error: unknown metric 'eficiency'; did you mean 'efficiency'\?" \
        --space x.spec --arch sm_90 --no-gpu
    has "$stderr" "^x.spec:14:24: error: 'registers' is a field of the profile and has no direction"
    [ ! -e none ]

    { cat "$data/synthetic.spec"; echo 'carve spil_bytes == 0'; } >x.spec
    refused "^x.spec:14:7: error: .*'spil_bytes'" --space x.spec --arch sm_90 --no-gpu
}

@test "a template that is not there is named" {
    cp "$data/synthetic.spec" .
    refused "^synthetic.spec:2:8: error: there is no file 'synthetic.cu'" --space synthetic.spec
}

@test "an unknown device is refused" {
    refused "unknown device 'sm_1234'; .aptune devices. lists those known" \
        --space "$data/synthetic.spec" --arch sm_1234
}

@test "a folder of recordings that is not there is named" {
    refused "nowhere" --space "$data/synthetic.spec" --recordings nowhere --no-gpu
}

@test "with neither GPU nor recording nor --arch there is nothing to tune for" {
    refused 'nothing to tune for: --no-gpu was given, and there is no recording' \
        --space "$data/synthetic.spec" --no-gpu
    has "$stderr" '--arch'
}

@test "what needs no times takes an H200 where no device is named or recorded, and says so" {
    cp "$data"/synthetic.{cu,spec} .
    default='the default: --arch names another'
    run "$APTUNE" check synthetic.spec
    status_is 0
    has "$output" "^  judged for NVIDIA H200 \(sm_90\), $default$"
    run "$APTUNE" check synthetic.spec --arch a100
    has "$output" '^  judged for NVIDIA A100.* \(sm_80\), named by --arch$'
    tune --space synthetic.spec --static --emit none
    status_is 0
    has "$output" "^ +\(--static was given; NVIDIA H200 is $default\)$"
    run "$APTUNE" explain synthetic.spec --no-gpu --no-lines "THREADS=64 EACH=4"
    status_is 0
    has "$output" "^ +\(--no-gpu was given; NVIDIA H200 is $default\)$"
    run "$APTUNE" check "$SOURCE/spaces/reduce.spec" --problem N=67108864
    has "$output" '^  judged for NVIDIA H200 \(sm_90\), that of .*reduce-h200.times.zst$'
}

@test "a space without configurations is refused, and --dry-run tells why" {
    cp "$data/synthetic.cu" .
    { cat "$data/synthetic.spec"; echo 'require EACH > 4'; } >x.spec
    refused "no configuration of 'x' satisfies all its constraints; --dry-run says" --space x.spec \
        --no-gpu
    tune --space x.spec --dry-run
    status_is 0
    has "$output" '^ +8  rejected by line 14: EACH > 4'
    has "$output" '^valid +0  configurations'
}

@test "a constraint of several lines is shown in one, without its comments" {
    cp "$data/synthetic.cu" .
    { cat "$data/synthetic.spec"; printf 'require EACH in [1, # one "or"\n    2] or \\\n    EACH == 4\n'; } >x.spec
    tune --space x.spec --dry-run
    status_is 0
    has "$output" '^ +[0-9]+  rejected by line 14: EACH in \[1, 2\] or EACH == 4$'
    tune --space x.spec --dry-run --json
    json '.constraints[-1].constraint == "EACH in [1, 2] or EACH == 4"'
}

@test "devices lists what --arch understands" {
    run --separate-stderr "$APTUNE" devices
    status_is 0
    has "$output" '^NVIDIA H200 +sm_90\* +132 +2048 +65536 +228 +227$'
    has "$output" '^Tesla V100-SXM2-32GB +sm_70 +80 '
    has "$output" '^NVIDIA GeForce RTX 4090 Laptop GPU +sm_89\* +76 '
    has "$output" '^sm_88 +sm_88\* +- '
    lacks "$output" '.{81}'
}

@test "devices NAME shows all that is known of it, a file that can be read again" {
    run --separate-stderr "$APTUNE" devices 'RTX 4090'
    status_is 0
    has "${lines[0]}" '^device "NVIDIA GeForce RTX 4090" 8.9$'
    has "$output" '^sms +  = 128 +published "'
    has "$output" '^bandwidth + = 1008 GB/s +published "'
    has "$output" '^rate_l2 + = .* estimated "'
    [ "$(grep -cvE '^device|(published|measured|estimated) ".+"$' <<<"$output")" -eq 0 ]
    printf '%s\n' "$output" >my.device
    [ "$("$APTUNE" devices my.device)" = "$output" ]
    echo 'clock = 1 parsec published "nowhere"' >>my.device
    refused '^my.device:[0-9]+:1: error: clock is given twice' devices my.device
    echo 'device "Mine" 8.9
clock = 1 parsec published "nowhere"' >my.device
    refused '^my.device:2:11: error: clock is in MHz or GHz, not in .parsec.' devices my.device
    printf '%s\n' 'device "Mine" 8.9' 'sms = 10 published "x"' 'clock = 1 GHz published "x"' >my.device
    has "$("$APTUNE" devices my.device)" '^rate_l2 += 160(\.0+)? B/cycle +estimated "rate_l2_sm for each SM"'
    echo 'rate_l2 = 200 B/cycle measured "here"' >>my.device
    has "$("$APTUNE" devices my.device)" '^rate_l2 += 200 B/cycle +measured "here"'
    refused "unknown device 'rtx 4091'" devices 'rtx 4091'
    refused "cannot open 'none.device'" devices none.device
}

# What a run without times says of the busiest unit, in the order of the configurations.
issue_cycles() {
    local column
    column=$(head -1 "$1/configurations.csv" | tr , '\n' | grep -nx issue_cycles | cut -d: -f1)
    [ -n "$column" ]
    cut -d, -f "$column" "$1/configurations.csv" | sed 1d
}

@test "--device-file carves for the device it describes, and metrics take its rates" {
    cp "$data"/synthetic.{cu,spec} .
    "$APTUNE" devices h200 | sed 's/^device .*/device "Mine" 9.0/' >my.device
    tune --space synthetic.spec --device-file my.device --output own
    status_is 0
    has "$output" 'STATIC for Mine \(sm_90\)'
    tune --space synthetic.spec --arch h200 --output shipped
    [ "$(issue_cycles own)" = "$(issue_cycles shipped)" ]
    sed -i 's/^rate_issue .*/rate_issue = 0.5 warps\/cycle estimated "an eighth"/' my.device
    tune --space synthetic.spec --device-file my.device --output slow
    paste <(issue_cycles slow) <(issue_cycles shipped) >both
    [ "$(awk '$1 > 0 && ($1 / $2 - 8) ^ 2 < 1e-6' both | wc -l)" -eq "$(wc -l <both)" ]
    refused 'use --arch or --device-file, not both' \
        --space synthetic.spec --device-file my.device --arch h200
    refused "cannot open 'none.device'" --space synthetic.spec --device-file none.device
}

@test "a recording of another capability than the device file's is not replayed" {
    make_synthetic
    echo 'device "Synthetic GPU" 8.6
sms = 7 estimated "a guess"' >other.device
    tune --space space/synthetic.spec --device-file other.device --output out
    status_is 0
    has "$output" 'STATIC for Synthetic GPU \(sm_86\)'
}

@test "--arch sm_86 says which device it takes" {
    cp "$data"/synthetic.{cu,spec} .
    tune --space synthetic.spec --arch sm_86 --output out
    status_is 0
    has "$output" 'STATIC for NVIDIA A40 \(sm_86\)'
    has "$output" '--arch sm_86 was given, and of those NVIDIA A40 was taken'
    tune --space synthetic.spec --arch 'rtx 3090' --output out2
    has "$output" 'STATIC for NVIDIA GeForce RTX 3090 \(sm_86\)'
    lacks "$output" 'was taken'
}

@test "inspect shows kernels of all files, and fails for one that cannot be read" {
    run --separate-stderr "$APTUNE" inspect "$SOURCE/tests/data/ptx/reduce.sm_90.ptx" none.ptx
    status_is 2
    has "$output" 'reduce'
    has "$stderr" "cannot open 'none.ptx'"
}

@test "a full disk is a failure of every command that prints" {
    make_synthetic
    for arguments in --help --version 'tune --help' devices 'pack --help' \
        "inspect $SOURCE/tests/data/ptx/reduce.sm_90.ptx" \
        '--space space/synthetic.spec --no-gpu' '--space space/synthetic.spec --no-gpu --json' \
        '--space space/synthetic.spec --no-gpu --dry-run'; do
        local code=0
        # shellcheck disable=SC2086
        "$REAL" $arguments >/dev/full 2>said || code=$?
        [ "$code" -eq 1 ]
        has "$(cat said)" 'cannot write to standard output: No space left on device'
    done
}
