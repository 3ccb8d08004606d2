#!/usr/bin/env bats
# What `aptune explain` says of single configurations.
load common
holds='.*'
held_files=csv

explain() {
    run --separate-stderr "$APTUNE" explain --no-gpu "$@"
}

# A tile of A whose columns are written without padding, and the same with it.
plain="BM=64 BN=128 BK=8 TM=8 TN=8 VEC=4 TRANSPOSE_A=1 STRIDED=1 PAD=0 PREFETCH=1 UNROLL=8 MIN_BLOCKS=1"
padded=${plain/PAD=0/PAD=4}

# The number in the row $1 of the output, commas left out; of the first such row.
figure() {
    grep -m1 -E "^  $1 " <<<"$output" | sed -E "s/^  $1 +//; s/ .*//; s/,//g"
}

@test "one configuration: launch, occupancy, units, warp, and the recorded time" {
    explain --space "$SOURCE/spaces/mm-core.spec" --no-lines "$padded"
    status_is 0
    [ -z "$stderr" ]
    has "$output" "^configuration +$padded\$"
    has "$output" '^  grid +32 x 64 blocks$'
    has "$output" '^  block +16 x 8 threads, 4 warps$'
    has "$output" '^  shared +6,272 bytes per block$'
    has "$output" '^  limited by +registers$'
    has "$output" '^  one more block +needs [0-9]+ fewer registers$'
    has "$output" '^  recorded +[0-9.]+ ms$'
    [ "$(grep -c -- '100.0 %  <- bounds$' <<<"$output")" -eq 1 ]
    # A thread has 64 elements of C and adds 4096 products to each.
    [ "$(figure 'fp32')" -gt 0 ]
    has "$output" '^  fp32 +262,144 '
    has "$output" '^  not known: --no-lines was given$'
    lacks "$output" 'fp64|spills: '
}

@test "padding takes conflicts from the stores of A's tile, and their line says so" {
    explain --space "$SOURCE/spaces/mm-core.spec" "$plain" "$padded"
    status_is 0
    local line
    line=$(grep -n 'staged.a\[s\].at\[v\];' "$SOURCE/templates/matmul-core.cu" | cut -d: -f1)
    has "$output" "^  matmul-core.cu:$line: shared store takes 2 wavefronts instead of 1, 2,048 times per warp: 2,048 excess wavefronts"
    has "$output" "^  matmul-core.cu:$line: shared store takes 1 wavefront, 2,048 times per warp"
    has "$output" '^  shared +6,144 bytes per block +6,272 bytes per block$'
    has "$output" '^  bank conflicts: shared memory accesses take 1\.[0-9]+ times the necessary passes$'
    # The multiply-adds stand on one line and are most of what is executed.
    line=$(grep -nE 'sum.*\+=|fma' "$SOURCE/templates/matmul-core.cu" | head -n 1 | cut -d: -f1)
    has "$output" "^  matmul-core.cu:$line: [0-9.]+ % of the instructions\$"
    # The same in the table: 2048 passes between the two columns.
    has "$output" '^  shared passes +57,344  .* 55,296  '
}

@test "scattered accesses and an empty machine are told with their cost" {
    explain --space "$data/synthetic.spec" --arch sm_90 "THREADS=64 EACH=4"
    status_is 0
    # A lane's four floats lie together, so each access of a warp takes every sector of 512 bytes.
    has "$output" '^  global sectors +192  4.00 x the least$'
    has "$output" '^  predicted +[0-9,]+  = [0-9.]+ us, off by [0-9]+ % as a rule$'
    has "$output" '^  scattered accesses: .* 4.00 times the necessary sectors$'
    has "$output" '^    costs [0-9,]+ cycles of L2 \(50 %\); without it, the bound is'
    has "$output" '^  synthetic.cu:9: global load takes 16 sectors instead of 4, 8 times per warp: 96 excess sectors$'
    has "$output" '^  few blocks: an SM could hold 32 blocks and gets 1.9$'
    has "$output" '^  recorded +not known$'
    has "$output" '^  not judged: '

    explain --space "$data/synthetic.spec" --arch sm_90 "THREADS=64 EACH=1"
    status_is 0
    has "$output" '^  global sectors +12  1.00 x the least$'
    lacks "$output" 'scattered accesses|excess'
}

@test "with recorded profiles its fate in carving is known, and no compiler is needed" {
    make_synthetic
    explain --space space/synthetic.spec --no-lines --cache-dir none "THREADS=64 EACH=2"
    status_is 0
    has "$output" '^  THREADS=64 EACH=2: '
    has "$output" '^replayed: ok, '
    lacks "$output" 'not judged'
    [ ! -e none ]

    mkdir alone
    cp "$REAL" alone/aptune # without its helper beside it
    run --separate-stderr alone/aptune explain --no-gpu --space space/synthetic.spec \
        --cache-dir none "THREADS=64 EACH=2"
    status_is 0
    has "$output" '^  global sectors '
    has "$output" '^lines of the source$'
    has "$output" '^  not known: .*aptune-compile'
}

@test "a survivor with an equal bound is not told to be better in both" {
    explain --space "$SOURCE/spaces/saxpy.spec" --no-lines "BLOCK=64 VEC=2 ROUNDS=2 REACH=0 UNROLL=2"
    status_is 0
    has "$output" '^  the survivor with .* instead is better in one and as good in the other: busiest unit ([0-9,]+) against \1, '
}

@test "a pattern names the line that has most of it" {
    explain --space "$SOURCE/spaces/transpose.spec" \
        "TILE=32 BLOCK_ROWS=8 VARIANT=1 PAD=0 SWIZZLE=0 VEC=1"
    status_is 0
    local line
    line=$(sed -n 's/^    worst is transpose.cu:\([0-9]*\): shared load takes 32 wavefronts instead of 1$/\1/p' <<<"$output")
    sed -n "${line}p" "$SOURCE/templates/transpose.cu" | grep -q tile
    has "$output" '^    costs [0-9,]+ cycles of shared memory and L1 \([0-9]+ %\); without it, the bound is [0-9]+ % lower'
    has "$output" '^  the survivor with .*VARIANT=[0234].* instead is better in both: busiest unit [0-9,]+ against [0-9,]+, warp latency [0-9,]+ against [0-9,]+ cycles$'
    lacks "$output" 'scattered accesses|loop code|  half '
}

@test "a spin over another block's flags is said to succeed at once" {
    local order
    for order in 0 1; do
        explain --compile --no-lines --arch sm_90 --space "$SOURCE/spaces/scan.spec" \
            --problem "N=16777216, INCLUSIVE=0" \
            "BLOCK=512 ITEMS=8 VEC=4 ORDER=$order WINDOW=32 EARLY=1 STREAM=0"
        status_is 0
        # Lines are wrapped at the width of the page.
        has "$(tr -s ' \n' ' ' <<<"$output")" ' assumed scan, line .*the loop waits for another thread; it is taken to find at once what it waits for'
    done
}

@test "--json says the same of one configuration or two" {
    explain --json --space "$SOURCE/spaces/transpose.spec" \
        "TILE=32 BLOCK_ROWS=8 VARIANT=1 PAD=0 SWIZZLE=0 VEC=1" \
        "TILE=32 BLOCK_ROWS=8 VARIANT=2 PAD=1 SWIZZLE=0 VEC=1"
    status_is 0
    [ -z "$stderr" ]
    [ "$(jq -s length <<<"$output")" -eq 1 ]
    json '.space == "transpose" and .arch == "sm_90" and (.configurations | length) == 2'
    json '[.configurations[].parameters.VARIANT] == [1, 2]'
    json '.configurations[0].grid == [256, 256, 1] and .configurations[0].block == [32, 8, 1]'
    json '.configurations[0].patterns[0].name == "bank conflicts"'
    json '.configurations[0].patterns[0] | .cost_cycles > 0 and .cost_share > 0.5 and .kind == "data access"'
    json '.configurations[0].busiest_unit == "shared_cycles" and .configurations[1].busiest_unit == "memory_cycles"'
    # Every wavefront of the profile is on a line, or counted with the sectors.
    json '.configurations[0] | ([.lines.accesses[].wavefronts // 0] | add) == .profile.shared_wavefronts'
    json '.configurations[0].lines.code | ([.[].share_of_instructions] | add) > 0.999'
    json '.configurations[0] | has("assumed")'
    json '.configurations[0].carving | .survives == false and .dominated_by.VARIANT != 1'
    json '.configurations[0] | .carving.its_metrics.bound_cycles < .metrics.bound_cycles'
    json '.configurations[0].carving.why | test("the budget of 20 was full; of those chosen, TILE=64 .* is the most like it")'
    json '[.configurations[].recorded.status] == ["ok", "ok"]'
    json '.configurations[1].recorded.time_ms < .configurations[0].recorded.time_ms'

    explain --json --no-lines --space "$SOURCE/spaces/transpose.spec" \
        "TILE=64 BLOCK_ROWS=16 VARIANT=2 PAD=1 SWIZZLE=0 VEC=2"
    json '.configurations[0].carving | .survives and .dominated_by == null and .its_metrics == null'

    explain --json --no-lines --space "$data/synthetic.spec" --arch sm_90 "THREADS=64 EACH=1"
    status_is 0
    json '.configurations[0] | .recorded == null and .carving == null'
    json '.configurations[0].lines | .not_known == "--no-lines was given" and .accesses == []'
}

@test "what one warp spends its cycles on stands in the rows that say so" {
    explain --no-lines --space "$SOURCE/spaces/transpose.spec" \
        "TILE=64 BLOCK_ROWS=16 VARIANT=2 PAD=1 SWIZZLE=0 VEC=2"
    status_is 0
    # Of the profile: 213, 5.2, 482.2 and 44.2 of 824.6 cycles.
    has "$output" '^  alone +825$'
    has "$output" '^  issue +213  25\.8 %$'
    has "$output" '^  shared memory +5   0\.6 %$'
    has "$output" '^  global memory +482  58\.5 %$'
    has "$output" '^  barriers +44   5\.4 %$'
    has "$output" '^  loads in flight +4\.0$'
    has "$output" '^  integer multiply +15  20\.5 %$'
    has "$output" '^  integer, logic +19  26\.0 %$'
    has "$output" '^  memory +26  35\.6 %$'
    has "$output" '^  branches +2   2\.7 %$'
}

@test "only the configuration asked for is compiled" {
    explain --space "$data/fails.spec" --arch sm_90 "WIDTH=3 TILE=256"
    status_is 1
    has "$stderr" 'error: no configuration compiled; the first failure: fails.cu\(4\): error: '

    explain --space "$data/fails.spec" --arch sm_90 "WIDTH=1 TILE=256" "WIDTH=3 TILE=256"
    status_is 1
    has "$output" '^WIDTH=3 TILE=256: did not compile: fails.cu\(4\): error: '
}

@test "words without quotes are one configuration until a parameter is named again" {
    explain --space "$SOURCE/spaces/mm-core.spec" --no-lines "$plain" "$padded"
    status_is 0
    quoted=$output
    # shellcheck disable=SC2086
    explain --space "$SOURCE/spaces/mm-core.spec" --no-lines $plain $padded
    status_is 0
    [ "$output" = "$quoted" ]
}

@test "what is wrong with the words of the command is said" {
    explain --space "$data/synthetic.spec"
    status_is 2
    has "$stderr" 'which configuration\?'

    explain "THREADS=64 EACH=4"
    status_is 2
    has "$stderr" 'which space\?'

    explain --space "$data/synthetic.spec" a b c
    status_is 2
    has "$stderr" "unexpected argument 'c'"

    explain "$data/synthetic.spec" --arch sm_90 "THREADS=64 EACH=3"
    status_is 2
    has "$stderr" "EACH has no value '3'; it has 1, 2, 4$"

    explain --spac "$data/synthetic.spec" --no-line x --nonsense
    status_is 2
    has "$stderr" "unknown option '--nonsense'"

    run "$APTUNE" explain --help
    status_is 0
    has "$output" '^usage: aptune explain FILE.spec '
}

@test "a time predicted for a device that nobody measured is called estimated" {
    explain --space "$data/synthetic.spec" --arch rtx4090 "THREADS=64 EACH=4"
    status_is 0
    has "$output" '^  predicted +[0-9,]+  = [0-9.]+ us, estimated: the device was not measured$'
}

@test "code with far more instructions than its PTX counts as that many" {
    # An array whose loop is unrolled in part: ptxas keeps it in registers and chooses among them.
    cat >array.cu <<'EOF2'
extern "C" __global__ void array(float *y, const float *x, int n)
{
    float sum[16] = {0};
    for (int j = 0; j < n; j++) {
        float d = x[j] - threadIdx.x;
#pragma unroll 2
        for (int z = 0; z < 16; z++, d += 0.5f)
            sum[z] += rsqrtf(d * d);
    }
    for (int z = 0; z < 16; z++)
        y[(blockIdx.x * 128 + threadIdx.x) * 16 + z] = sum[z];
}
EOF2
    cat >array.spec <<'EOF2'
kernel "array.cu" array
problem n = 1048576
param BLOCK in 128
block BLOCK
grid n / BLOCK
out y : float[n * 16]
in x : float[512] = uniform(0, 100)
arg n : int = 512
EOF2
    explain --space array.spec --arch sm_90 --compile --json "BLOCK=128"
    status_is 0
    jq -e '[.. | objects | select(has("issued"))][0] | .code_unmatched == 1 and .issued > 3 * .instr' <<<"$output"
}
