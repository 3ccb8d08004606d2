#!/usr/bin/env bats
# What a run leaves behind and shows: the tuned kernel, the header, the table, the progress bar.
load common
holds='.*'
held_files=csv

# A spec for an emitted source: its parameters are constants in it.
spec_of_emitted() {
    printf 'kernel "%s" %s\nparam NONE in 0\nblock 32\ngrid 1\n' "$1" "$2"
}

hash_of() {
    "$tests/code_hash" "$1" | cut -f2
}

@test "the emitted source compiles to the winner's code" {
    make_synthetic
    tune --space space/synthetic.spec --exhaustive --json --output out
    status_is 0
    spec_of_emitted synthetic_1.cu synthetic >out/emitted.spec
    "$tests/code_hash" space/synthetic.spec >hashes
    has "$(cat hashes)" "^THREADS=256 EACH=1	$(hash_of out/emitted.spec)$"
    [ "$(cut -f2 hashes | sort -u | wc -l)" -gt 1 ]
}

@test "the emitted matrix multiply compiles to the winner's code" {
    tune --space "$SOURCE/spaces/mm-core.spec" --output out --json
    status_is 0
    spec_of_emitted mm_core_1.cu matmul >out/emitted.spec
    # The spec with the winner as its only configuration.
    sed "s|\.\./templates|$SOURCE/templates|" "$SOURCE/spaces/mm-core.spec" >only.spec
    jq -r '.best.parameters | to_entries[] | "s/^param \(.key) in .*/param \(.key) in \(.value)/"' \
        <<<"$output" >winner.sed
    sed -i -f winner.sed only.spec
    [ -n "$(hash_of only.spec)" ]
    [ "$(hash_of out/emitted.spec)" = "$(hash_of only.spec)" ]
}

@test "the emitted source compiles with nvcc" {
    command -v nvcc >/dev/null || skip "no nvcc"
    make_synthetic
    tune --space space/synthetic.spec --output out
    nvcc -arch=sm_90 -cubin -o winner.cubin out/synthetic_1.cu
}

@test "the table has a line for every configuration" {
    make_synthetic
    tune --space space/synthetic.spec --output out
    [ "$(wc -l <out/configurations.csv)" -eq 9 ]
    has "$(head -n 1 out/configurations.csv)" '^THREADS,EACH,code,selected,status,time_ms,registers,'
    has "$(cat out/configurations.csv)" '^64,1,ok,1,ok,2,.*,"THREADS=64 EACH=1: survives; replayed: ok, 2.0000 ms"$'
    # As many fields in every line; no field of these has a comma but the last, which is quoted.
    [ "$(sed 's/,".*//; s/,why$//' out/configurations.csv | awk -F, '{ print NF }' | sort -u | wc -l)" -eq 1 ]
}

@test "results go to aptune-out when nothing is said" {
    make_synthetic
    tune --space space/synthetic.spec
    status_is 0
    has "$output" 'written +aptune-out/synthetic/synthetic.h, synthetic.c, .*synthetic_1.cu, .*synthetic.json$'
    [ -f aptune-out/synthetic/synthetic_1.cu ]
    [ -f aptune-out/synthetic/synthetic.h ]
}

@test "a folder that cannot be written is a failure, and the result is shown all the same" {
    make_synthetic
    echo >file
    tune --space space/synthetic.spec --output file/below
    status_is 1
    has "$stderr" "error: .*file/below.*Not a directory"
    has "$output" '^best +THREADS='
}

@test "all kernels of a spec are written out, those of a second file beside the first" {
    mkdir space out
    cp "$data/pair.cu" space
    sed 's/first/third/' "$data/pair.cu" >space/other.cu
    {
        sed 's/in 2, 3/in 2/' "$data/pair.spec"
        printf 'kernel "other.cu" third\nblock 32\ngrid 8, 4\n'
    } >space/pair.spec
    mkdir space/recordings
    "$tests/synthetic_recording" --right space/pair.spec space/recordings
    tune --space space/pair.spec --output out
    status_is 0
    spec_of_emitted pair_1.cu second >out/second.spec
    spec_of_emitted pair_1_2.cu third >out/third.spec
    "$tests/code_hash" out/second.spec
    "$tests/code_hash" out/third.spec
    [ "$(jq -c '[.variants[0].launches[] | [.kernel, .cubin]]' out/pair.json)" = \
        '[["first","pair_1_sm90.cubin"],["second","pair_1_sm90.cubin"],["third","pair_1_2_sm90.cubin"]]' ]
}

@test "a progress bar appears on a terminal and nowhere else" {
    local arguments="--no-gpu --space $data/pair.spec --arch sm_90"
    script -qec "'$APTUNE' $arguments --cache-dir c1" typescript </dev/null >/dev/null
    has "$(tr '\r' '\n' <typescript)" 'compile +\[#+\.*\] [0-9]+/2 '
    # shellcheck disable=SC2086
    run --separate-stderr "$APTUNE" $arguments --cache-dir c2
    status_is 0
    [ -z "$stderr" ]
    lacks "$output" '\[#'
}

@test "a check shows on a terminal what it compiles and for how long" {
    script -qec "'$REAL' check $data/pair.spec --cache-dir c" typescript </dev/null >/dev/null
    has "$(tr '\r' '\n' <typescript)" 'check +\[\.+\] 0/6  0:[0-9]+ so far  first'
    has "$(tr '\r' '\n' <typescript)" '^.\[Kpair: sound'
    run --separate-stderr "$REAL" check "$data/pair.spec" --cache-dir c2
    status_is 0
    [ -z "$stderr" ]
}

@test "what is timed one after the other shows the best so far" {
    make_synthetic_gpu
    script -qec "'$fake' --space space/many.spec --jobs 1 --exhaustive --output out" typescript </dev/null >/dev/null
    has "$(tr '\r' '\n' <typescript)" 'time +\[#*\.*\] [0-9]+/[0-9]+ .*best [0-9.e-]+ ms: [A-Z]+='
}

# typed COLUMNS VARIABLES COMMAND: what a terminal of that width gets, without the progress.
typed() {
    script -qc "stty cols $1; env -u NO_COLOR -u COLUMNS TERM=xterm $2 $3" typescript </dev/null >/dev/null
    sed '1d;$d; s/.*\r\x1b\[K//' typescript | tr -d '\r' | sed "s/\x1b\[/<ESC>/g"
}

@test "a terminal gets lines of its width and colours, unless they are not wanted" {
    cp "$data"/synthetic.cu "$data"/synthetic.spec .
    sed -E 's/^(param .*[0-9]).*/\1, "a mistake behind many words"/' synthetic.spec >wrong.spec
    sed '/^grid/s/.*/grid N \/ 7/' synthetic.spec >odd.spec
    {
        typed 72 '' "'$APTUNE' check synthetic.spec"
        typed 40 '' "'$APTUNE' check synthetic.spec"
        typed 40 '' "'$APTUNE' check wrong.spec"
        typed 40 '' "'$APTUNE' check odd.spec"
        typed 40 '' "'$APTUNE' check none.spec"
        typed 40 NO_COLOR=1 "'$APTUNE' check none.spec"
        typed 40 TERM=dumb "'$APTUNE' check none.spec"
        typed 80 'COLUMNS=39' "'$APTUNE' check none.spec"
        typed 40 'COLUMNS=64' "'$APTUNE' check none.spec"
        typed 40 'COLUMNS=64x' "'$APTUNE' check none.spec"
        typed 20 'COLUMNS=0' "'$APTUNE' check none.spec"
        typed 39 '' "'$APTUNE' check none.spec"
        typed 40 '' "'$APTUNE' cache --cache-dir none"
    } >made
    golden output/terminal
}
