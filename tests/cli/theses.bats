#!/usr/bin/env bats
# The spaces of the theses' kernels: how many configurations they have, and which variables.
load common
holds='.*'
held_files=csv

# How many configurations a space has.
counts() {
    tune --space "$SOURCE/spaces/$1.spec" --dry-run --recordings "$BATS_TEST_TMPDIR" --json
    status_is 0
    json ".configurations == $2"
}

@test "every space of the theses has as many configurations as were timed" {
    counts mm-thesis 216
    counts cp 480
    counts sad 942
    counts mri-q 784
    counts mri-fhd 980
    counts rsqrt 351
    counts convolution 432
}

@test "a variable that a configuration leaves out is no mistake, one that no source names is" {
    run "$APTUNE" check --space "$SOURCE/spaces/mri-fhd.spec"
    status_is 0
    mkdir -p "$BATS_TEST_TMPDIR/spaces"
    cp -r "$SOURCE/templates" "$BATS_TEST_TMPDIR/templates"
    sed 's/^constant planes/constant plains/' "$SOURCE/spaces/mri-fhd.spec" \
        >"$BATS_TEST_TMPDIR/spaces/misspelt.spec"
    run "$APTUNE" check --space "$BATS_TEST_TMPDIR/spaces/misspelt.spec"
    [ "$status" -ne 0 ]
    has "$output" "the code has no variable 'plains'"
}
