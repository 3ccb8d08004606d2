#!/usr/bin/env bats
# Shards that Slurm's srun starts, in a cluster of this machine alone that the test sets up: munged,
# slurmctld and slurmd with all their files in a temporary folder and ports of their own, for any
# user, without systemd.  The GPUs make their times up.
load common

daemons=(munged slurmctld slurmd)

setup_file() {
    local program
    export PATH=$PATH:/usr/sbin
    # Short: a socket's path may have 107 bytes.
    export CLUSTER
    CLUSTER=$(mktemp -d /tmp/aptune-slurm.XXXXXX)
    for program in srun "${daemons[@]}"; do
        if ! command -v $program >/dev/null; then
            echo "$program is not installed (packages slurmctld slurmd slurm-client munge)" >"$CLUSTER/why"
            return
        fi
    done
    export SLURM_CONF=$CLUSTER/slurm.conf
    write_config
    start_cluster || true
}

# As slurmctld reads it, where there is no program hostname, too.
node_name() {
    local name
    name=$(uname -n)
    echo "${name%%.*}"
}

write_config() {
    local user name port
    user=$(id -un)
    name=$(node_name)
    port=$((20000 + $$ % 6000 * 2)) # below those that the system gives away
    mkdir -m 700 "$CLUSTER/state" "$CLUSTER/spool"
    cat >"$SLURM_CONF" <<EOF
ClusterName=test
SlurmctldHost=$name(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdLogFile=$CLUSTER/slurmd.log
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$name NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=$name Default=YES State=UP
EOF
    # No control groups: a container may not make any.  Older versions do without being told.
    if slurmd -V | grep -qE ' (2[3-9]|[3-9][0-9])\.'; then
        echo 'CgroupPlugin=disabled' >"$CLUSTER/cgroup.conf"
    fi
}

# Each in the foreground, so that its process is known; descriptor 3 is that of bats.  Fails where a
# daemon ends by itself, which is for the machine to allow; $CLUSTER/why tells, and tests are skipped.
start_cluster() {
    head -c 1024 /dev/urandom >"$CLUSTER/munge.key"
    chmod 600 "$CLUSTER/munge.key"
    chmod 711 "$CLUSTER"
    munged --force --foreground --key-file="$CLUSTER/munge.key" --socket="$CLUSTER/munge.socket" \
        --pid-file="$CLUSTER/munge.pid" --log-file="$CLUSTER/munge.log" \
        --seed-file="$CLUSTER/munge.seed" >"$CLUSTER/munge.out" 2>&1 3>&- &
    export CLUSTER_PIDS=$!
    start_is munged "[ -S $CLUSTER/munge.socket ]" || return
    slurmctld -D -f "$SLURM_CONF" >"$CLUSTER/slurmctld.out" 2>&1 3>&- &
    CLUSTER_PIDS+=" $!"
    start_is slurmctld "sinfo -h -o %t" || return
    slurmd -D -N "$(node_name)" -f "$SLURM_CONF" >"$CLUSTER/slurmd.out" 2>&1 3>&- &
    CLUSTER_PIDS+=" $!"
    start_is slurmd "sinfo -h -o %t | grep -qx idle"
}

# Waits until the daemon $1, started last, works; false when it ended.
start_is() {
    local pid=${CLUSTER_PIDS##* }
    if ! wait_until "$2 || ! kill -0 $pid"; then
        tail -n 20 "$CLUSTER"/*.log "$CLUSTER"/*.out
        exit 1
    fi
    kill -0 "$pid" 2>/dev/null && return
    echo "$1: $(cat "$CLUSTER/$1".{log,out} 2>/dev/null | grep -i error | tail -n 1)" >"$CLUSTER/why"
    return 1
}

wait_until() {
    local i
    for ((i = 0; i < 1000; i++)); do
        if eval "$1" 2>/dev/null; then
            return
        fi
        sleep 0.1
    done
    return 1
}

need_cluster() {
    [ ! -e "$CLUSTER/why" ] || skip "no cluster can be started here: $(<"$CLUSTER/why")"
}

teardown_file() {
    [ -n "${CLUSTER:-}" ] || return 0
    local pid
    for pid in $(tr ' ' '\n' <<<"${CLUSTER_PIDS:-}" | tac); do
        kill "$pid" 2>/dev/null || continue
        wait_until "! kill -0 $pid" || kill -9 "$pid"
    done
    rm -rf "$CLUSTER"
}

@test "srun starts shards, whose recordings are joined to that of one run" {
    need_cluster
    make_synthetic_gpu
    export SYNTHETIC_GPUS=2
    run timeout 120 srun -n 2 --overcommit "$fake" --space space/many.spec --jobs 1 --exhaustive \
        --output out
    status_is 0
    has "$output" '^shard +0/2 \(Slurm\)'
    has "$output" '^shard +1/2 \(Slurm\)'
    # Each took the GPU of its rank on the machine.
    jq -se 'map(select(.ordinal != null).ordinal) == [0]' out/shard-0-of-2/many.times
    jq -se 'map(select(.ordinal != null).ordinal) == [1]' out/shard-1-of-2/many.times

    run "$fake" merge all out/shard-0-of-2 out/shard-1-of-2
    status_is 0
    run --separate-stderr "$fake" --space space/many.spec --jobs 2 --exhaustive --output whole
    status_is 0
    diff <(outcomes all/many.times) <(outcomes whole/many.times)
}

@test "a batch script's own process tunes the whole space" {
    need_cluster
    make_synthetic_gpu
    cat >job.sh <<EOF
#!/bin/bash
"$fake" --space space/many.spec --dry-run
EOF
    timeout 120 sbatch --wait -n 2 --overcommit -o batch.text job.sh
    has "$(cat batch.text)" '^compile +32  configurations'
    lacks "$(cat batch.text)" '^shard'
}
