#!/usr/bin/env bats
# Calls of the system that fail, each in turn (tests/cli/failing_aptune.c): none goes unnoticed where it matters.
load common

# What comes of it when any of the calls fails that a command makes in a copy of ./begin: call, exit status, which files are there
# that are not without it, or the other way round, and what is said; each kind once, compared with a golden text.
each_call_fails() {
    local golden=$1 n status files
    shift
    run_once 0 "$@"
    list_files >whole
    for ((n = 1; n < 1000; n++)); do
        status=0
        run_once "$n" "$@" || status=$?
        [ -e told ] || break
        files=$(diff <(list_files) whole | sed -n 's/^> .*/fewer/p; s/^< /with /p' | sort -u | paste -sd ' ')
        printf '%s: status %s, %s files| %s\n' "$(cat told)" "$status" "${files:-all}" "$(grep -vE ' (warning|note): ' err | head -n 1)"
        [ "$status" = 0 ] || [ -s err ]
        [ "$status" -le 2 ]
    done >kinds
    [ "$n" -gt 10 ]
    sed -E "s|$SOURCE/|@SOURCE/|g; s|[^ ']*/aptune-compile|aptune-compile|; s|(pictures/)[^']*|\1*|" kinds | LC_ALL=C sort -u >made
    golden "failing/$golden"
}

run_once() {
    local n=$1
    shift
    rm -rf here told
    cp -r begin here
    (cd here && APTUNE_CACHE=$PWD/cache FAILING_AT=$n FAILING_TOLD=$PWD/../told "$tests/failing_aptune" "$@" >../out 2>../err)
}

list_files() { (cd here && find . -type f | sed -E 's/[.][0-9a-f]{16}[.]tmp/.random.tmp/' | LC_ALL=C sort); }

setup() {
    set_up
    make_synthetic
    mv space begin
    cp begin/recordings/*.times begin/made.times
}

@test "a recording is exported whole or not at all" {
    each_call_fails t4 export made.times --output out.json
    each_call_fails csv export made.times --output out.csv --format csv
}

@test "a recording is packed whole or not at all" {
    each_call_fails pack pack made.times packed.zst
}

@test "a replay says what it could not read or write" {
    each_call_fails replay --no-gpu --space synthetic.spec --emit none --output out
}

@test "a study says what it could not read or write" {
    each_call_fails study study made.times --output out
}

@test "a conversion and an import say what they could not read or write" {
    cp "$SOURCE"/tests/data/convert/convolution.json "$SOURCE"/tests/data/exchange/synthetic-t4.json begin
    each_call_fails convert convert convolution.json --output made.spec
    each_call_fails import import synthetic-t4.json --output other.times
}

@test "parts are joined whole or not at all" {
    each_call_fails merge merge all made.times recordings/synthetic.times
}
