#!/usr/bin/env bats
# Parts of a space tuned apart and joined, by hand and as mpirun and srun start them.  The GPUs make
# their times up, the same for the same code.
load common
holds=merge

run_fake() {
    run --separate-stderr "$fake" --space space/many.spec --jobs 2 "$@"
}

# Checks that the joined recording in ./all says of every configuration what one run of the whole
# says, and that it replays without compiling.
check_merged() {
    run_fake --exhaustive --output whole
    status_is 0
    diff <(outcomes all/many.times) <(outcomes whole/many.times)
    run_fake --carve --no-gpu --recordings all --json
    status_is 0
    json '.source == "replayed" and .workers_started == 0 and .from_cache == 0'
    json '.configurations == 32 and .compiled == 32'
    json '.relative_performance <= 1'
}

@test "what shards time is joined to what one run of the whole times" {
    make_synthetic_gpu
    local part
    for part in 0 1 2; do
        run_fake --exhaustive --shard $part/3 --output out
        status_is 0
        has "$output" "^shard +$part/3 \(--shard\)"
    done
    run "$fake" merge all out/shard-*
    status_is 0
    has "$output" 'merged 3 parts into all/many.times: 32 rows, 0 of them without an outcome'
    check_merged
}

@test "a shard carves its part with its share of the budget, and the whole can be carved again" {
    make_synthetic_gpu
    local part
    for part in 0 1 2 3; do
        run_fake --shard $part/4 --output out --json
        status_is 0
        json '.selected == 3' # 8 / 4 by carving, 4 / 4 by polish
    done
    run "$fake" merge all out/shard-*
    status_is 0
    has "$output" '32 rows, 20 of them without an outcome'
    run_fake --carve --no-gpu --recordings all --json
    status_is 0
    json '.workers_started == 0 and .compiled == 32'
    # What was left out is no outcome, and no best of a whole space is known.
    json '.exhaustive_best_ms == null'
}

@test "shards without a GPU join their profiles" {
    make_synthetic_gpu
    local part
    for part in 0 1; do
        run_fake --no-gpu --arch sm_90 --shard $part/2 --output out
        status_is 0
    done
    run "$fake" merge all out/shard-*
    status_is 0
    has "$output" '32 rows, 32 of them without an outcome'
    [ "$(grep -c '"f":' all/many.profile)" -eq "$(jq -r 'select(.v) | .code + .launch' all/many.times |
        sort -u | wc -l)" ]
}

@test "a merge refuses what does not belong together and what is there already" {
    make_synthetic_gpu
    run_fake --exhaustive --shard 0/2 --output out
    status_is 0
    cp -r out other
    echo '// another source' >>space/synthetic.cu
    run_fake --exhaustive --shard 1/2 --output out
    status_is 0
    run "$fake" merge all out/shard-*
    status_is 1
    has "$output" "does not belong to 'out/shard-0-of-2/many.times': its source is"
    [ ! -e all/many.times ]

    run "$fake" merge all out/shard-0-of-2 other/shard-0-of-2
    status_is 0
    has "$output" '16 rows, 0 of them without an outcome; 16 duplicates dropped'
    run "$fake" merge all out/shard-0-of-2
    status_is 1
    has "$output" 'exists already'
    run "$fake" merge none space
    status_is 1
    has "$output" "'space' holds no recording of times"
}

@test "a merge that fails leaves nothing behind" {
    make_synthetic_gpu
    run_fake --exhaustive --shard 0/2 --output out
    status_is 0
    cp -r out whole
    sed -i '3s/[0-9]/x/' out/shard-0-of-2/many.profile
    run "$fake" merge all out/shard-0-of-2
    status_is 1
    has "$output" 'many.profile:3: the line is damaged'
    [ -z "$(ls all)" ]
    run "$fake" merge all whole/shard-0-of-2
    status_is 0
}

@test "a part that is empty or does not compile is no failure of the job" {
    make_synthetic_gpu
    run_fake --exhaustive --shard 40/64 --output out
    status_is 0
    has "$stderr" 'part 40/64 of this space is empty'

    # Of every two configurations one does not compile: all of one part.
    sed -i 's/^param EACH.*/param EACH in 1, 2/' space/many.spec
    sed -i '1i #if EACH == 2\n#error no\n#endif' space/synthetic.cu
    local part
    for part in 0 1; do
        run_fake --exhaustive --shard $part/2 --output half
        status_is 0
    done
    has "$stderr" 'no configuration of part 1/2 compiled; the first failure: .*no'
    run "$fake" merge all half/shard-*
    status_is 0
    has "$output" '16 rows, 0 of them without an outcome'
    run_fake --exhaustive --output whole
    status_is 0
    diff <(outcomes all/many.times) <(outcomes whole/many.times)
}

@test "--shard refuses what is no part, and takes the batch system's word" {
    make_synthetic_gpu
    local text
    for text in 2/2 -1/2 1 1/ /2 a/b 1/2/3 1/0; do
        run_fake --shard "$text" --dry-run
        status_is 2
        has "$stderr" '--shard takes i/n'
    done
    run_fake --shard auto --dry-run
    status_is 2
    has "$stderr" 'neither mpirun nor srun'

    export SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4
    run_fake --dry-run
    status_is 0
    has "$output" '^shard +2/4 \(Slurm\)'
    run_fake --dry-run --shard none
    lacks "$output" '^shard'
    run_fake --dry-run --shard 1/3
    has "$output" '^shard +1/3 \(--shard\)'
    export OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1
    run_fake --dry-run
    has "$output" '^shard +2/4 \(Slurm\)'
    export OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2
    run_fake --dry-run
    has "$output" '^shard +1/2 \(MPI\)'
    # In a batch script, which runs once, these are set as well.
    unset SLURM_PROCID SLURM_STEP_NUM_TASKS OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE
    SLURM_PROCID=0 SLURM_NTASKS=4 run_fake --dry-run
    lacks "$output" '^shard'
}

@test "each process of a machine takes the GPU of its rank there, or the one it is shown" {
    make_synthetic_gpu
    export SYNTHETIC_GPUS=2 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_LOCAL_RANK=1
    run_fake --exhaustive --output out --json
    status_is 0
    json '.ledger.gpus | map(.ordinal) == [1]'
    export SYNTHETIC_GPUS=1 # the batch system shows each its own
    run_fake --exhaustive --output again --json
    status_is 0
    json '.ledger.gpus | map(.ordinal) == [0]'
}

@test "mpirun starts shards" {
    command -v mpirun >/dev/null || skip "mpirun is not installed (package openmpi-bin)"
    make_synthetic_gpu
    export SYNTHETIC_GPUS=2 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # One machine needs neither a network nor ssh.
    run mpirun --oversubscribe --mca btl self,vader --mca plm isolated -n 2 \
        bin/aptune --space space/many.spec --jobs 1 --exhaustive --output out
    status_is 0
    has "$output" '^shard +0/2 \(MPI\)'
    has "$output" '^shard +1/2 \(MPI\)'
    run "$fake" merge all out/shard-0-of-2 out/shard-1-of-2
    status_is 0
    check_merged
}
