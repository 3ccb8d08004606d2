#!/usr/bin/env bats
# The commands of the READMEs, run as they are written, but for those that need a GPU or other people's files.
load common

check() {
    run --separate-stderr "$APTUNE" check "$@"
}

# The indented lines of a README from the first that matches to the last, without their indent.
block() {
    sed -n "/^    .*$2/,/^    $3/p" "$SOURCE/$1" | sed 's/^    //'
}

# Indented commands of a README, a line each, without what is said of them.
commands_of() {
    sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}' "$SOURCE/$1" | sed -nE 's/^    (aptune .*)/\1/p' |
        sed -E 's/ +# .*//' | grep -vE "\[|FILE|\bX\b|A100|convolution\.json|mine( |/|\$)|aptune +[0-9]|aptune_|^aptune \*"
}

prepare() {
    local folder
    mkdir -p bin
    ln -s "$APTUNE" bin/aptune
    PATH=$PWD/bin:$PATH
    for folder in spaces templates metrics; do ln -s "$SOURCE/$folder" .; done
    block README.md '#include <cuda_runtime.h>' 'int main' >saxpy.cu
    grep -q '__global__ void saxpy' saxpy.cu
}

@test "the front page's kernel goes from the file to a choice" {
    prepare
    commands_of README.md >commands
    [ "$(wc -l <commands)" -ge 3 ]
    while read -r line; do
        [ "$line" != "aptune saxpy.spec" ] || line="$line --arch h100"
        run --separate-stderr bash -c "$line" </dev/null
        status_is 0
    done <commands
    has "$output" '^selected'
    has "$(cat saxpy.spec)" '^grid ceil_div\(N, BLOCK\) +# as launched at saxpy.cu'
}

@test "the commands of the other pages run as they are written" {
    prepare
    "$APTUNE" init saxpy.cu >/dev/null
    mv saxpy.spec my.spec
    echo 'metric mine lower "cycles" "Mine." = predicted_cycles' >mine.metrics
    for page in tuner/README.md metrics/device/README.md spaces/recordings/README.md; do
        while read -r line; do
            echo "$line" >>done
            run --separate-stderr bash -c "$line" </dev/null
            status_is 0
        done < <(commands_of "$page")
    done
    [ "$(wc -l <done)" -ge 7 ]
}

@test "the tutorial's kernel, spec and mistake are what the page says" {
    prepare
    block spaces/README.md '#ifndef BLOCK' '}$' | sed '/^}/q' >blur.cu
    "$APTUNE" init blur.cu
    check blur.spec
    status_is 0
    sed -n '/^kernel "blur.cu" blur$/,/^```/p' "$SOURCE/spaces/README.md" | sed '/^```/,$d' >blur.spec
    check blur.spec
    status_is 0
    run --separate-stderr "$APTUNE" --space blur.spec --arch h100 --why "BLOCK=64 EACH=1"
    status_is 0
    sed -i '/^arg n/d' blur.spec
    check blur.spec
    status_is 2
    has "$stderr" "$(sed -n 's/^    \(blur.spec:1:1: error: .*\)/\1/p' "$SOURCE/spaces/README.md")"
}
