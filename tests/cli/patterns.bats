#!/usr/bin/env bats
# The spaces of the anti-parallel patterns: their sizes, and what the static profile says of the
# patterns in them.  Times are in the recordings.
load common
holds='.*'
held_files=csv

# Points and valid configurations of a space.
counts() {
    tune --space "$SOURCE/spaces/$1.spec" --dry-run --recordings "$BATS_TEST_TMPDIR" --json
    status_is 0
    json ".points == $2 and .configurations == $3"
    json '.points - ([.constraints[].rejected] | add // 0) == .configurations'
}

# One field of the configurations that are left of a space when its parameters have only these values,
# in their order, on one line: NAME FIELD PARAMETER=VALUES …
field() {
    local name=$1 wanted=$2 setting
    sed "s|\.\./templates|$SOURCE/templates|" "$SOURCE/spaces/$name.spec" >"$name.spec"
    shift 2
    for setting in "$@"; do
        sed -i "s/^param ${setting%%=*} in .*/param ${setting%%=*} in ${setting#*=}/" "$name.spec"
    done
    tune --space "$name.spec" --arch sm_90 --output out
    status_is 0
    column=$(head -n 1 out/configurations.csv | tr , '\n' | grep -nx "$wanted" | cut -d : -f 1)
    values=$(tail -n +2 out/configurations.csv | cut -d , -f "$column" | paste -sd ' ')
}

@test "every point of the patterns' spaces is valid or rejected by a constraint" {
    counts access 3732480 303
    counts branching 2688 393
    counts mapping 4992 393
    counts reduce-2008 2880 840
    counts saxpy 900 378
    counts scan-two-pass 2160 115
    counts sync 144 144
    counts transpose-tutorial 240 156
    counts vectoradd 180 126
}

@test "a warp that takes n branches does n times the work, (3.1)" {
    field branching fma_issued BODY=1 BRANCHES=1,2,8,32 SPREAD=1 LADDER=0 REMEDY=0 BLOCK=256
    [ "$values" = "129 257 1025 4097" ] # 128 for each branch, and the gain
}

@test "a warp does the work of the branches that it takes, not of those there are" {
    field branching fma_issued BODY=1 BRANCHES=32 SPREAD=1,2,4,8 LADDER=0 REMEDY=0 BLOCK=256
    [ "$values" = "4097 2049 1025 513" ]
}

@test "branches of different length add up, (3.2)" {
    field branching fma_issued BODY=1 BRANCHES=2,4 SPREAD=1 LADDER=1 REMEDY=0 BLOCK=256
    [ "$values" = "385 1281" ] # 128 · (1 + 2), 128 · (1 + 2 + 3 + 4), and the gain
}

@test "table lookup and static reordering leave a warp one branch" {
    field branching fma_issued BODY=1 BRANCHES=8 SPREAD=1 LADDER=0 REMEDY=0,1,2 BLOCK=256
    [ "$values" = "1025 129 129" ]
}

@test "words that share a bank multiply the wavefronts of shared memory" {
    field access shared_wavefronts KIND=4 BLOCK=1024 READ_WAYS=1,32 WRITE_WAYS=1,32
    [ "$values" = "18 297 297 576" ] # nine accesses of each array: once for good, eight times copied
}

@test "words a whole row apart take a sector each" {
    field access global_sectors KIND=2 BLOCK=1024 ELEMENTS=1 TILE=32 READ=0,1 WRITE=0,1 BLOCKS=0
    [ "$values" = "8 36 36 64" ]
}

@test "neighbours that change places share their sectors" {
    field access global_sectors KIND=1 BLOCK=256 ELEMENTS=1
    [ "$values" = "8" ]
}
