#!/usr/bin/env bats
# The profiles beside the recordings are what the profiler says today: some rows of each are made again.  A change of the
# profiler makes all of them again (tests/make_profiles).  What it says for other GPUs is kept in tests/golden/profiles.txt;
# APTUNE_UPDATE_GOLDEN=1 writes that file anew.
load common

recordings=$SOURCE/spaces/recordings

# Four rows of the recording $1, drawn with the seed $2.
made_again() {
    tune --space "$SOURCE/spaces/$(space_of "$1").spec" --problem "$(problem_of "$1")" --recordings "$recordings/$(dirname "$1")" \
        --compile --static --compiles 4 --seed "$2" --emit none --output "$1"
    status_is 0
}

same() {
    python3 - "$@" <<'PROGRAM'
import glob, json, subprocess, sys
folder, same, failed = sys.argv[1], 0, False
def read(lines):
    header, *rows = map(json.loads, lines)
    return header, {(r["code"], r["launch"]): r for r in rows}
for name in sys.argv[2:]:
    gpu = name.rpartition("/")[0] or "h200"
    fields, recorded = read(subprocess.check_output(["zstd", "-dc", f"{folder}/{name}-{gpu}.profile.zst"]).splitlines())
    [made] = glob.glob(f"{name}/**/*.profile", recursive=True)
    header, rows = read(open(made))
    # A field that is newer than a recording is not in it.
    assert fields["fields"] == [f for f in header["fields"] if f in fields["fields"]], name
    at = [header["fields"].index(f) for f in fields["fields"]]
    for key in rows.keys() & recorded.keys():
        new, old = rows[key], recorded[key]
        other = [f"{f}: {a}, recorded {b}" for f, a, b in zip(fields["fields"], [new["f"][i] for i in at], old["f"]) if a != b]
        if other or new.get("r") != old.get("r") or new.get("note") != old.get("note"):
            print(name, *key, *other or ["notes or requests differ"], sep="\n  ")
            failed = True
        same += 1
sys.exit(failed or same < 3 * len(sys.argv[2:]))
PROGRAM
}

check() {
    same_nvrtc
    for name in "$@"; do
        made_again "$name" 5
    done
    same "$recordings" "$@"
}

@test "profiles of products and of what reads tiles" {
    check mm mm-core mm-thesis mm-thesis-energy convolution sad
}

@test "profiles of long loops over few data" {
    check mri-fhd mri-q cp escape rsqrt
}

@test "profiles of streams, of sums and of scans" {
    check vectoradd saxpy reduce reduce-2008 scan scan-two-pass
}

@test "profiles of transposes and of time steps" {
    check transpose transpose-4 transpose-bulk transpose-tutorial heat
}

@test "profiles of what data decide" {
    check spmv-even spmv-power histogram-even histogram-skewed
}

@test "profiles of the small kernels that show one pattern each" {
    check access branching mapping sync
}

@test "profiles of the recordings of an H100" {
    check h100/vectoradd h100/sync h100/reduce h100/spmv-power
}

# "sm_75 scan 0123…: field=value …", fields that are not 0, of one launch of each code.
other_gpus() {
    local arch space
    for arch in sm_75 sm_80 sm_86 sm_89 sm_100 sm_120; do
        for space in mm-thesis reduce-2008 sad mri-q spmv; do
            tune --space "$SOURCE/spaces/$space.spec" --arch "$arch" --static --compiles 1 --seed 3 --emit none \
                --output "$arch" || return
            status_is 0 || return
            # shellcheck disable=SC2046
            jq -rn --arg name "$arch $space" 'foreach inputs as $l ([]; if $l.fields then $l.fields else . end;
                select($l.f) | "\($name) \($l.code) \($l.launch):" +
                ([., $l.f] | transpose | map(select(.[1] != 0) | " \(.[0])=\(.[1])") | join("")))' \
                $(find "$arch" -name "$space.profile" | sort) || return
        done
    done
}

@test "profiles for other GPUs" {
    same_nvrtc
    other_gpus >all
    awk '!seen[$3]++' all >made
    golden profiles
}
