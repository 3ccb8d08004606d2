# What all command-line tests share.  Each test runs in a folder of its own, with a compile cache
# that the tests of a file share.
bats_require_minimum_version 1.5.0

data=$SOURCE/tests/data/cli
tests=$(dirname "$APTUNE")/tests # programs that only tests need

# Lines of reports as long as they are and plain, whatever set-up a file has, also where mpirun gives
# a terminal.
export COLUMNS=0 NO_COLOR=1

setup_file() { set_up_file; }
set_up_file() {
    export APTUNE_CACHE=$BATS_FILE_TMPDIR/cache
    [ -z "${holds:-}" ] || (cd "$BATS_FILE_TMPDIR" && same_nvrtc && touch same) || true
}

setup() { set_up; }
set_up() {
    export APTUNE_CACHE=$BATS_FILE_TMPDIR/cache
    cd "$BATS_TEST_TMPDIR" || return
    [ -z "${holds:-}" ] || hold
}

# All that the subcommands $holds, "init|check", say, and write to files that end in $held_files, "spec|json", in a test of a file that sets these is
# tests/golden/FILE/TEST.txt, where NVRTC is that of the recordings.  What differs from run to run is taken out: times of day, seconds, folders, the
# cache, which tests share, and what the sed script $held_less says.  Of what is longer than $held_most bytes there are checksums:
# tests/compare_commits shows what differs.
hold() {
    export SOURCE REAL=$APTUNE HOLDS=$holds HELD_FILES=${held_files:-none} HELD_MOST=${held_most:-1000} LOG=$BATS_TEST_TMPDIR.log
    export MASK="s|[^\"' ]*/tests/data/|@SOURCE/tests/data/|g; s|[^\"' ]*/spaces/|@SOURCE/spaces/|g
        s|$SOURCE/|@SOURCE/|g; s|$BATS_TEST_TMPDIR|@HERE|g; s|$BATS_FILE_TMPDIR|@FILE|g; s|\"date\":\"[^\"]*\"|\"date\":\"\"|
        s/^aptune  *[0-9.]+/aptune/; /^  (built|commit|compiler|helpers) /d; s/\"aptune\": \"[0-9.]*\"/\"aptune\"/; /^ledger  *wall/,/^  total/d; /\"(core_)?seconds\": [{]/,/[}]/d
        /\"(from_cache|workers_started|jobs)\": /d; /\"seconds\": [0-9]/d; s/, about .* with [0-9]+ jobs?//; /^  *[0-9]*  from the cache/d; /^  *total .* s; without/d; s/(best found after) .*/\1/; s/[0-9TZ:-]{20}/@TIME/
        s/(@SOURCE[^ ]*) +/\\1 /g; s/^(space +recording) +problem */\\1 problem /
        ${held_less:-}"
    APTUNE=$BATS_TEST_TMPDIR.aptune
    holding "$REAL" >"$APTUNE"
    chmod +x "$APTUNE"
}

# For a test whose outcome hangs on what is ready first.
hold_nothing() { APTUNE=$REAL fake=$PWD/bin/aptune; }

# A script that does what the program $1 does and holds it.
holding() {
    printf '#!/usr/bin/env bash\nREAL=%q\n' "$1"
    cat <<'END'
[[ ! -t 2 && $1 =~ ^($HOLDS)$ ]] || exec "$REAL" "$@"
said=$*
# What a search finds hangs on how many compile at once.
if [[ $1 =~ ^(tune|-.*|.*[.]spec)$ && $* =~ [.]spec && ! $* =~ --(jobs|help) ]]; then
    [[ $1 =~ ^- ]] && set -- --jobs 2 "$@" || set -- "$1" --jobs 2 "${@:2}"
fi
touch "$LOG.before"
"$REAL" "$@" >"$LOG.out" 2>"$LOG.err"
status=$?
{
    printf '$ aptune %s\n' "$said" | sed -E "$MASK"
    for part in "$LOG.out" "$LOG.err"; do
        sed -E "$MASK" "$part" >"$LOG.part"
        [ "$(stat -c %s "$LOG.part")" -gt "$HELD_MOST" ] && cksum <"$LOG.part" || cat "$LOG.part"
    done
    find . -regextype egrep -regex ".*[.]($HELD_FILES)" -newer "$LOG.before" | LC_ALL=C sort | while read -r file; do
        sed "s|$SOURCE/|@SOURCE/|g" "$file" >"$LOG.part"
        [ "$(stat -c %s "$LOG.part")" -ge "$HELD_MOST" ] && printf '%s %s\n' "$(cksum <"$LOG.part")" "$file" || cat "$LOG.part"
    done
    [ $status = 0 ] || printf 'status %s\n' $status
} >>"$LOG"
cat "$LOG.out"
cat "$LOG.err" >&2
exit $status
END
}

compare_held() {
    [ -e "$BATS_FILE_TMPDIR/same" ] && [ -e "$LOG" ] && [ -n "$BATS_TEST_COMPLETED" ] || return 0
    mkdir "$LOG.golden" && cd "$LOG.golden" || return
    sed -E "$MASK" "$LOG" >made
    golden "$(basename "$BATS_TEST_FILENAME" .bats)/$(tr -cs '[:alnum:]\n' _ <<<"$BATS_TEST_DESCRIPTION" | cut -c 1-60)"
}

# Runs aptune as on a machine without a GPU, whatever this one has.
tune() {
    run --separate-stderr "$APTUNE" tune --no-gpu "$@"
}

# Checks the exit status of the last `run`, and shows what it said when it is another one.
status_is() {
    if [ "$status" -ne "$1" ]; then
        printf 'exit status %s, not %s\n%s\n%s\n' "$status" "$1" "$output" "$stderr"
        return 1
    fi
}

# Checks that a text holds a line that matches a pattern of grep -E.
has() {
    if ! grep -qE -e "$2" <<<"$1"; then
        printf 'no line matches: %s\nin:\n%s\n' "$2" "$1"
        return 1
    fi
}

lacks() {
    if grep -qE -e "$2" <<<"$1"; then
        printf 'a line matches: %s\nin:\n%s\n' "$2" "$1"
        return 1
    fi
}

# The processes that process $1 has started and that still are there, those of a name or all.
children_of() {
    sed -n "s/^\([0-9]*\) (${2:-.*}) [A-Z] $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null
}

# Evaluates a jq expression on the last output and checks that it gives true.
json() {
    if [ "$(jq "$1" <<<"$output")" != true ]; then
        printf 'not true: %s\nof:\n%s\n' "$1" "$output"
        return 1
    fi
}

# The space and the problem, "A=1,B=2", of the shipped recording $1: "scan" of the H200, "h100/scan" of another GPU.
recorded() {
    local gpu=h200
    [[ $1 != */* ]] || gpu=${1%/*}
    zstd -dcq "$SOURCE/spaces/recordings/$1-$gpu.times.zst" | head -n 1 | jq -r "$2" || true
}
space_of() { recorded "$1" .space; }
problem_of() { recorded "$1" '[.problem[] | "\(.[0])=\(.[1])"] | join(",")'; }

# Compares the file "made" with tests/golden/$1.txt.
golden() {
    [ -z "${APTUNE_UPDATE_GOLDEN:-}" ] || { mkdir -p "$(dirname "$SOURCE/tests/golden/$1")" && cp made "$SOURCE/tests/golden/$1.txt"; }
    diff "$SOURCE/tests/golden/$1.txt" made
}

# Skips a test where NVRTC is not that of the recordings, and compiles other machine code.
same_nvrtc() {
    tune --space "$SOURCE/spaces/vectoradd.spec" --compile --static --compiles 1 --emit none --output nvrtc
    status_is 0
    zstd -dcq "$SOURCE/spaces/recordings/vectoradd-h200.profile.zst" |
        grep -qFf <(grep -o '^{"code":"[0-9a-f]*"' nvrtc/vectoradd.profile) || skip "another NVRTC than that of the recordings"
}

# A copy of the synthetic template and spec in ./space, with a recording whose times are made up.
make_synthetic() {
    mkdir -p space/recordings
    cp "$data"/synthetic.cu "$data"/synthetic.spec space
    "$tests/synthetic_recording" space/synthetic.spec space/recordings
}

# Programs in ./bin whose GPUs make their times up (tests/cli/synthetic_gpu.c), and the spec of a few
# dozen configurations in ./space.  After it, "$fake" is aptune.
make_synthetic_gpu() {
    mkdir -p bin space
    cp "${REAL:-$APTUNE}" bin/aptune
    cp "${REAL:-$APTUNE}-compile" bin
    cp "$tests/synthetic_gpu" bin/aptune-gpu
    cp "$data"/synthetic.cu "$data"/many.spec space
    export SYNTHETIC_UUID=$$-$BATS_SUITE_TEST_NUMBER
    fake=$PWD/bin/aptune
    [ -z "${holds:-}" ] || { holding "$fake" >fake && chmod +x fake && fake=$PWD/fake; }
}

teardown() {
    rm -f /tmp/aptune-GPU-synthetic-"$$-$BATS_SUITE_TEST_NUMBER"-*.lock
    [ -z "${holds:-}" ] || compare_held
}

# The rows of a recording in one order, without what differs from run to run.
outcomes() {
    jq -cS 'select(.v) | del(.s, .cs, .ps, .on, .sum)' "$1" | sort
}

# Rows of a recording, and how many of them are of a configuration that has another one.
rows() { jq -c 'select(.v) | .v' "$1" | wc -l; }
repeated() { jq -c 'select(.v) | .v' "$1" | sort | uniq -d | wc -l; }
