#!/usr/bin/env bats
# What commands print of shipped recordings and sources, whole: tests/golden/NAME.txt.  A change there is read as a difference of
# texts; APTUNE_UPDATE_GOLDEN=1 writes the files anew.
load common

recordings=$SOURCE/spaces/recordings

# The configuration of row $2 of the recording $1, "A=1 B=2".
configuration() {
    zstd -dcq "$recordings/$1-h200.times.zst" | jq -rn --argjson row "$2" '[inputs] | .[0].parameters as $p |
        [.[] | select(.v)][$row].v | to_entries | map("\($p[.key][0])=\(.value)") | join(" ")'
}

# Explains row $2 of the recording $1.
explain() {
    "$APTUNE" explain "$SOURCE/spaces/$(space_of "$1").spec" "$(configuration "$1" "$2")" \
        --problem "$(problem_of "$1")" --no-gpu 2>&1 | sed "s|$recordings/||"
}

@test "explain" {
    same_nvrtc
    explain mm-thesis 40 >made
    for row in 3 400; do
        for name in reduce scan histogram-skewed spmv-power transpose-bulk; do
            explain $name $row
        done
    done >>made
    for row in 0 50; do
        for name in heat mri-q cp access; do
            explain $name $row
        done
    done >>made
    golden explain
}

# But for the search, whose decisions hang on the last digit of exp and log.
@test "study" {
    local here=$PWD
    cd "$recordings"
    for name in mm-thesis mm-thesis-energy scan-two-pass sync; do
        "$APTUNE" study "$name-h200.times.zst" --output "$here/out" --seeds 3 2>&1 |
            grep -v '^[a-z-]* *search  *[0-9]' | sed "s|$here/||"
        (cd "$here" && find out -name "*.svg" ! -name "*-seconds.svg" ! -name "*-race-*" | sort | xargs cksum)
        rm -r "$here/out"
    done >"$here/made"
    cd "$here"
    golden study
}

# The first specs of sources with and without host code, and that a check finds them sound.
@test "init" {
    mkdir sources
    cp "$SOURCE"/tests/data/init/*.cu "$SOURCE"/templates/*.cu* sources
    rm sources/*_reference.cu
    for source in sources/*.cu; do
        run --separate-stderr "$APTUNE" init "$source" --output first.spec
        printf '%s: %s\n' "$source" "$stderr"
        [ "$status" -ne 0 ] || cat first.spec
        rm -f first.spec
    done >made
    golden init
    for source in "$SOURCE"/tests/data/init/*.cu; do
        "$APTUNE" init "$source" --output "$(basename "$source").spec"
        run --separate-stderr "$APTUNE" check "$(basename "$source").spec"
        status_is 0
        has "$output" 'sound; '
    done
}

# What -d shows of each stage of a short search, as checksums by space and letter; without a recording, of all that was compiled.
@test "dumps" {
    same_nvrtc
    for spec in "$SOURCE"/spaces/*.spec; do
        space=$(basename "$spec" .spec)
        dump=("$APTUNE" "$spec" --no-gpu --emit none --output out --seed 1 --trials 3 --compiles 4 -d SECPMFBWLJ)
        "${dump[@]}" >/dev/null 2>dumped || grep -q '^> J' dumped || "${dump[@]}" --arch sm_90 --jobs 1 >/dev/null 2>dumped
        rm -rf part.* out
        awk '/^aptune: / { part = "" } /^> [A-Z]: / { part = substr($2, 1, 1) } part { print >"part." part }' dumped
        cksum part.* | sed "s|part|$space|"
    done >made
    golden dumps
}

# But for the seconds that this run took.  Of tables and pictures there are checksums.
@test "carved and exhaustive replays" {
    while IFS='|' read -r space option value; do
        "$APTUNE" "$SOURCE/spaces/$space.spec" --no-gpu "$option" ${value:+"$value"} --emit none --output out 2>&1 |
            sed "/^ledger/,/^  total/d; s|$SOURCE/||"
        find out -name "*.csv" -o -name "*.svg" ! -name "*-seconds.svg" | sort | xargs cksum
        rm -r out
    done >made <<'END'
mm-thesis|--carve
mm-thesis|--exhaustive
mm-thesis-energy|--carve|best 9 by predicted_cycles
reduce-2008|--carve|front efficiency, utilization
scan-two-pass|--carve|best 9 by predicted_cycles
transpose-tutorial|--exhaustive
heat|--carve
sync|--exhaustive
END
    golden carved
}

@test "check" {
    for space in mm-thesis spmv convolution; do
        "$APTUNE" check "$SOURCE/spaces/$space.spec"
    done 2>&1 | sed "s,$SOURCE/,," >made
    golden check
}

# Emitted units of recorded spaces, as checksums: tests/compare_commits shows what differs.
@test "emit" {
    same_nvrtc
    for recording in "$recordings"/*.times.zst; do
        space=$(space_of "$(basename "$recording" -h200.times.zst)")
        [ "$space" = mm ] || [ -d "out/$space" ] || "$APTUNE" emit "$SOURCE/spaces/$space.spec" --output "out/$space"
    done
    "$APTUNE" emit "$SOURCE/spaces/reduce-2008.spec" --flavour runtime --output out/runtime
    "$APTUNE" emit "$SOURCE/spaces/heat.spec" --flavour driver-linked --output out/linked
    find out -type f | sort | xargs cksum >made
    golden emitted
}

# Least squares are compared but for a hundredth of each number: their last digits hang on the library.
@test "platform" {
    "$APTUNE" platform --from "$SOURCE/spaces/platform/recordings" --output out 2>&1 | sed "s|$SOURCE/||" >made
    [ -n "${APTUNE_UPDATE_GOLDEN:-}" ] || python3 - "$SOURCE/tests/golden/platform.txt" <<'PROGRAM'
import re, sys
number = re.compile(r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?")
lines, wanted = (open(name).read().splitlines() for name in ("made", sys.argv[1]))
for got, want in zip(lines, wanted):
    a, b = ([float(x.replace(",", "")) for x in number.findall(line)] for line in (got, want))
    words = [re.sub(r"\s+", " ", number.sub("#", line)) for line in (got, want)]
    if words[0] != words[1] or any(abs(x - y) > 0.01 * abs(y) + 1e-9 for x, y in zip(a, b)):
        sys.exit(f"{got}\nand not\n{want}")
assert len(lines) == len(wanted)
PROGRAM
    [ -z "${APTUNE_UPDATE_GOLDEN:-}" ] || golden platform
}
