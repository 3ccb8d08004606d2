#!/usr/bin/env bats
# Recordings to others' formats and back; the results of other tuners.
load common
holds='import|export'
held_most=33792
held_files='times|csv|json'

files=$SOURCE/tests/data/exchange

import() {
    run --separate-stderr "$APTUNE" import "$@"
}

export_to() {
    run --separate-stderr "$APTUNE" export "$@"
}

# The rows of a recording without what only aptune knows.
plain_rows() {
    jq -c 'select(.v) | [.v, .status, .t]' "$1" | sort
}

@test "a cache file of Kernel Tuner that was never closed becomes a recording, each oddity named" {
    import "$files/synthetic-kernel-tuner.json" --output kt.times --arch sm_80
    status_is 0
    [ -z "$stderr" ]
    has "$output" '^imported +Kernel Tuner cache: 6 rows read, 2 with times, 4 failed, 0 left out$'
    has "$output" 'the file is not closed'
    has "$output" 'the last row is cut off: left out'
    has "$output" '1 row without a time: taken as failed \(runtime\) \(row 6\)'
    has "$output" '1 row marked correct with an invalid time'
    has "$output" "1 row with a parameter value only in its key \(row 4\)"
    has "$output" '1 row with NaN or Infinity'
    has "$(head -1 kt.times)" '"arch":"sm_80","device":"synthetic device".*"imported":"imported from synthetic-kernel-tuner.json'
    has "$(cat kt.times)" '"note":"imported from .*: not measured by aptune; problem size \[4096, 4096\], objective time"'
    [ "$(grep -c '"note"' kt.times)" -eq 9 ]
    has "$(cat kt.times)" '\{"v":\[16,2,"a"\],"status":"skipped","msg":"InvalidConfig"'
    has "$(cat kt.times)" '\{"v":\[32,1,"a"\],"status":"compile_error","msg":"CompilationFailedConfig"'
    has "$(cat kt.times)" '\{"v":\[32,2,"a"\],"status":"ok","t":\[0.5\]'
}

@test "an imported recording is studied, and never called measured" {
    import "$files/synthetic-kernel-tuner.json" --output kt.times --arch sm_80
    run --separate-stderr "$APTUNE" study kt.times --output out --seeds 3
    status_is 0
    has "$stderr" "the times in 'kt.times' were not measured by aptune: imported from synthetic-kernel-tuner.json"
    has "$(cat out/report.html)" 'not measured by aptune'
}

@test "T4 as KTT and the hub write it: units, texts, zeros, missing runtimes" {
    import "$files/synthetic-t4.json" --output t4.times --space mine --device h200
    status_is 0
    has "$output" '^imported +T4: 6 rows read, 3 with times, 3 failed, 0 left out$'
    has "$output" '1 failed row with a time of 0: the time is ignored'
    has "$output" 'parameter numbers written as text'
    has "$output" '1 row without raw times: the mean is its only time'
    has "$output" '1 row marked correct with a correctness of 0: taken as wrong'
    has "$(head -1 t4.times)" '"space":"mine","arch":"sm_90","device":"h200"'
    has "$(cat t4.times)" '\{"v":\[16,"0.5"\],"status":"ok","t":\[1.25,1.26\]'
    has "$(cat t4.times)" '\{"v":\[32,"1.0"\],"status":"ok","t":\[0.75\]'
}

@test "KTT's JSON: statuses and the file's unit of time" {
    import "$files/synthetic-ktt.json" --output ktt.times
    status_is 0
    has "$stderr" "the architecture of 'synthetic device' is unknown.*--arch"
    has "$output" '^imported +KTT: 4 rows read, 2 with times, 2 failed, 0 left out$'
    has "$(cat ktt.times)" '\{"v":\[16,1\],"status":"ok","t":\[1.2505\]'
    has "$(cat ktt.times)" '\{"v":\[32,1\],"status":"ok","t":\[0.75\]'
    has "$(cat ktt.times)" '"status":"wrong","msg":"ValidationFailed"'
    has "$(cat ktt.times)" '"status":"launch_failed","msg":"DeviceLimitsExceeded"'
}

# Rows and notes of a recording, without the name of the file that it was imported from.
contents() { tail -n +2 "$1" | sed -E 's/imported from [^ ]*//; s/,"sum":.*//'; }

@test "a file that gzip packed is read as it is, in all its members; a damaged one is refused" {
    import "$files/synthetic-ktt.json" --output plain.times
    plain=$output
    { head -c 400 "$files/synthetic-ktt.json" | gzip; tail -c +401 "$files/synthetic-ktt.json" | gzip; } >x.json.gz
    import x.json.gz --output x.times
    status_is 0
    [ "${output/x.times/plain.times}" = "$plain" ]
    diff <(contents plain.times) <(contents x.times)
    head -c 200 x.json.gz >cut.json.gz
    import cut.json.gz --output cut.times
    status_is 1
    has "$stderr" "'cut.json.gz' cannot be unpacked: it ends early"
    { gzip <"$files/synthetic-ktt.json" | head -c -8; printf 12345678; } >bad.json.gz
    import bad.json.gz --output bad.times
    status_is 1
    has "$stderr" "'bad.json.gz' cannot be unpacked: incorrect data check"
}

@test "what is no file of a tuner is refused, and so is a second import" {
    echo '{"rows": []}' >x.json
    import x.json --output x.times
    status_is 1
    has "$stderr" "'x.json' has no known format: a cache of Kernel Tuner has \"cache\""
    echo '{"results": }' >x.json
    import x.json --output x.times
    status_is 1
    has "$stderr" "'x.json' is not JSON: unexpected byte at 12"
    echo '[{"configuration": {"x": 1}}]' >x.json
    import x.json --output x.times
    status_is 1
    has "$stderr" "'x.json' has no known format"
    echo '{"tune_params_keys": ["x", "y", "x"], "cache": {"1,2,3": {"time": 1}}}' >x.json
    import x.json --output x.times
    status_is 1
    has "$stderr" "'x.json' \(Kernel Tuner cache\) has two parameters called 'x'"
    [ ! -e x.times ]
    printf '\x1f\x8b\x08' >x.json.gz
    import x.json.gz --output x.times
    status_is 1
    has "$stderr" "'x.json.gz' cannot be unpacked: it ends early"
    [ ! -e x.times ]
    import "$files/synthetic-ktt.json"
    status_is 2
    has "$stderr" 'Give --output NAME.times'
    import "$files/synthetic-ktt.json" --output ktt.times
    import "$files/synthetic-ktt.json" --output ktt.times
    status_is 1
    has "$stderr" "'ktt.times' already exists"
    import "$files/synthetic-ktt.json" --output u.times --unit fortnights
    status_is 1
    has "$stderr" "unknown unit of time 'fortnights'"
}

@test "T4 that aptune writes reads back as the same rows" {
    make_synthetic
    for format in t4 t4-1.1; do
        rm -f back.times
        export_to space/recordings/synthetic.times --output x.json --format $format
        status_is 0
        import x.json --output back.times
        status_is 0
        diff <(plain_rows space/recordings/synthetic.times) <(plain_rows back.times)
    done
    output=$(cat x.json)
    json '.schema_version == "1.1.0" and (.results | length) == 8'
    json '[.results[] | select(.invalidity == "correctness")] | length == 1 and .[0].correctness == 0'
    json '.results[0].compilation_data | .registers > 0 and .local_size == {"x": 64, "y": 1, "z": 1}'
    json '[.results[0].measurements[].name] | contains(["time", "registers", "blocks_per_sm", "predicted_cycles"])'
    json '[.results[].measurements[] | select(.value == null)] == []'
    json '[.results[] | select(any(.measurements[]; .name == "time")) | .invalidity] | unique == ["correct"]'
}

@test "CSV has a line for each row and a cell for each column" {
    make_synthetic
    export_to space/recordings/synthetic.times --output x.csv --format csv
    status_is 0
    [ "$(wc -l <x.csv)" -eq 9 ]
    python3 - <<'EOF'
import csv
rows = list(csv.reader(open("x.csv")))
assert len({len(r) for r in rows}) == 1, [len(r) for r in rows]
head = rows[0]
assert head[:3] == ["kind", "THREADS", "EACH"] and "registers" in head and "predicted_cycles" in head
assert {r[head.index("origin")] for r in rows[1:]} == {"measured by aptune"}
assert [r[head.index("invalidity")] for r in rows[1:]].count("correctness") == 1
import json
recorded = [json.loads(l) for l in open("space/recordings/synthetic.times") if '{"v":' in l]
seconds = [r[head.index("gpu_seconds")] for r in rows[1:] if r[0] == "row"]
assert [float(s or 0) for s in seconds] == [r.get("s", 0) for r in recorded], seconds
EOF
}

@test "a format that does not exist is refused" {
    make_synthetic
    export_to space/recordings/synthetic.times --output x --format xml
    status_is 2
    has "$stderr" "takes t4, t4-1.1 or csv, not 'xml'"
    export_to nothing.times --output x
    status_is 1
    [ ! -e x ]
}

@test "with its spec an imported space has code and profiles, is studied and carved" {
    make_synthetic
    export_to space/recordings/synthetic.times --output x.json
    rm -r space/recordings
    mkdir got
    import x.json --output got/mine.times --spec space/synthetic.spec --device h200
    status_is 0
    has "$output" '^matched +synthetic: 8 configurations have a row, 0 have none; 0 rows match no configuration$'
    has "$output" '^compiled +0 failed here with NVRTC .* matched to code by parameter values alone'
    [ "$(ls got)" = "$(printf 'mine.profile\nmine.times')" ]
    [ "$(grep -c '"v".*"code"' got/mine.times)" -eq 8 ]
    run --separate-stderr "$APTUNE" study got/mine.times --output out --seeds 3
    status_is 0
    has "$output" '^synthetic +predicted_cycles '
    lacks "$stderr" 'nothing static'
    tune --space space/synthetic.spec --recordings got --output run
    status_is 0
    has "$output" 'IMPORTED times of h200, not measured by aptune: imported from x.json \(T4\); matched with synthetic by parameter values'
    lacks "$output" 'REPLAYED|measured on'
    tune --space space/synthetic.spec --recordings got --output run --json
    json '.source == "replayed" and .workers_started == 0 and (.imported | test("imported from x.json")) and .best != null'
}

@test "of an imported sample only what has a row is compiled" {
    make_synthetic
    export_to space/recordings/synthetic.times --output all.json
    rm -r space/recordings
    jq '.results |= .[:3]' all.json >x.json
    mkdir got
    import x.json --output got/mine.times --spec space/synthetic.spec --device h200
    status_is 0
    has "$output" '^matched +synthetic: 3 configurations have a row, 5 have none; 0 rows match no configuration$'
    [ "$(grep -c '"v".*"code"' got/mine.times)" -eq 3 ]
    [ "$(grep -c '"code"' got/mine.profile)" -eq 3 ]
}

@test "without a spec at import, a run believes imported times by the parameters' values" {
    make_synthetic
    export_to space/recordings/synthetic.times --output x.json
    rm -r space/recordings
    mkdir got
    import x.json --output got/mine.times --space synthetic --device h200
    status_is 0
    tune --space space/synthetic.spec --recordings got --output run --json
    status_is 0
    json '.source == "replayed" and .stale == 0 and .timed > 0 and .exhaustive_best_ms > 0'
}

@test "an imported space of other parameters does not fit a spec" {
    make_synthetic
    import "$files/synthetic-ktt.json" --output ktt.times --arch sm_90 --spec space/synthetic.spec
    status_is 1
    has "$stderr" "the imported times do not fit 'space/synthetic.spec'"
    has "$stderr" 'the space has other parameters'
    [ ! -e ktt.times ] && [ ! -e ktt.times.part ]
}

@test "a spec at import needs the architecture of the times" {
    make_synthetic
    import "$files/synthetic-ktt.json" --output ktt.times --device "a device of mine" --spec space/synthetic.spec
    status_is 1
    has "$stderr" '--spec compiles the kernel and needs an architecture: --arch sm_XX'
    [ ! -e ktt.times ] && [ ! -e ktt.times.part ]
}

@test "T4 as KTT writes it with compilation data and counters" {
    import "$files/synthetic-ktt-t4.json" --output t4.times --arch sm_89
    status_is 0
    has "$output" '^imported +T4: 4 rows read, 2 with times, 2 failed, 0 left out$'
    has "$output" '1 failed row with a time: the time is ignored \(row 3\)'
    has "$output" '1 failed row with a time of 0: the time is ignored \(row 2\)'
    has "$(cat t4.times)" '\{"v":\[32,"true","0.5","row"\],"status":"ok","t":\[0.0905\]'
    has "$(cat t4.times)" '\{"v":\[64,"true","0.5","row"\],"status":"compile_error"'
    has "$(cat t4.times)" '\{"v":\[128,"false","1.0","column"\],"status":"wrong"'
}

@test "an open cache of Kernel Tuner with observers, one problem size and a parameter that is an object" {
    import "$files/synthetic-kernel-tuner-open.json" --output kt.times --arch sm_89
    status_is 0
    has "$output" '^imported +Kernel Tuner cache: 2 rows read, 1 with times, 1 failed, 0 left out$'
    has "$output" 'kernel synthetic; problem size 80000000'
    has "$output" 'the file is not closed'
    has "$(cat kt.times)" '\{"v":\[128,1080,"\{\}"\],"status":"ok","t":\[3.5,3.25,3\]'
}

@test "without a spec an import says what it lacks, and a study says so, too" {
    import "$files/synthetic-ktt-t4.json" --output t4.times --arch sm_89
    has "$output" '^missing +code and profiles: '
    run --separate-stderr "$APTUNE" study t4.times --output out --seeds 3 --json
    status_is 0
    has "$stderr" "there is no 't4.profile': the space has no static metrics \(aptune import --spec makes it\)"
    json '.carvings == null and .stages == null and .samples[0].distinct > 0'
    json '.metrics == null and (.searches | length) == 28 and .samples[0].distinct == 2'
}

# All tables of a study but those that say where it came from, and what is played against the clock of those who compiled.
tables_of() {
    "$APTUNE" study "$1" --output out --seeds 5 --json 2>/dev/null |
        jq "del(.recordings, .searches)"
}

@test "T4 exported, imported with the spec and studied gives the same tables" {
    make_synthetic
    tables_of space/recordings/synthetic.times >before.json
    for format in t4 t4-1.1; do
        rm -rf got
        mkdir got
        export_to space/recordings/synthetic.times --output x.json --format $format
        status_is 0
        import x.json --output got/mine.times --spec space/synthetic.spec --arch sm_90
        status_is 0
        lacks "$output" '^missing'
        tables_of got/mine.times >after.json
        [ "$(jq '.carvings | length' after.json)" -ge 3 ]
        [ "$(jq '[.metrics[] | select(.known == 7)] | length' after.json)" -ge 20 ]
        diff before.json after.json
    done
}

@test "of several launches the profile of all together is exported" {
    export_to "$SOURCE/spaces/recordings/reduce-2008-h200.times.zst" --output x.csv --format csv
    status_is 0
    python3 - <<'PROGRAM'
import csv
rows = [r for r in csv.DictReader(open("x.csv")) if r["kind"] == "row"]
assert len(rows) == 840
assert any("+" in r["code"] for r in rows)
assert all(r["registers"] and r["predicted_cycles"] for r in rows)
PROGRAM
}

@test "units of a measurement, nested times and a time that contradicts its times are understood or named" {
    cat >t4.json <<'EOF'
{"results": [{"timestamp": "x", "configuration": {"A": 1}, "times": {"runtimes": [2000, 2000]},
  "invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 2000, "unit": "Microseconds"}],
  "objectives": ["time"]}], "schema_version": "1.0.0"}
EOF
    run --separate-stderr "$APTUNE" import t4.json --output t4.times --arch sm_90
    status_is 0
    has "$(cat t4.times)" '"t":\[2[.,0-9]*,2'
    printf '\xEF\xBB\xBF' >cache.json
    cat >>cache.json <<'EOF'
{"device_name": "X", "kernel_name": "k", "tune_params_keys": ["A"], "cache": {
 "1": {"A": 1, "time": 5.0, "times": [[0, 1.0], [1, 1.0]]},
 "2": {"A": 2, "time": 3.0, "times": [3.0, 3.0]}}}
EOF
    run --separate-stderr "$APTUNE" import cache.json --output cache.times --arch sm_90
    status_is 0
    has "$output$stderr" '1 row whose time deviates by more than 1 % from the mean of its times'
}

@test "a long import shows how far it is on a terminal" {
    {
        printf '{"device_name": "NVIDIA A100", "kernel_name": "k", "tune_params_keys": ["X"], "tune_params": {"X": []}, "cache": {'
        seq 20000 | awk '{ printf "%s\"%d\": {\"X\": %d, \"time\": 1.5, \"times\": [1.5, 1.5]}", (NR > 1 ? "," : ""), $1, $1 }'
        echo '}}'
    } >long.json
    script -qec "'$REAL' import long.json --output long.times" typescript </dev/null >/dev/null
    has "$(tr '\r' '\n' <typescript)" 'read +\[#*\.*\] [0-9]+/[0-9]+ '
}
