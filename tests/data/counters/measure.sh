#!/bin/sh
# Counts every launch of a list on this machine's GPU with Nsight Compute:
#
#     measure.sh [launches.txt] >counters.csv
#
# Of other lists local memory, atomics and what goes further are counted, too: measure.sh data-launches.txt >data-counters.csv
set -eu
list=${1:-launches.txt}
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

metrics=smsp__inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics=$metrics,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_pipe_lsu.sum
if [ "$list" != launches.txt ]; then
    metrics=smsp__inst_executed.sum
    for of in ld st red atom; do metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_$of.sum; done
    for of in ld st atom; do metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$of.sum; done
    for of in ld st; do metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_local_op_$of.sum; done
    metrics=$metrics,lts__t_sectors_srcunit_tex_op_read.sum,dram__sectors_read.sum
fi

cuda=/usr/local/cuda
cc -O1 launch.c -I$cuda/include -L$cuda/lib64/stubs -lcuda -o "$work/launch"
ncu --clock-control none --csv --page raw --print-units base --metrics $metrics \
    --log-file "$work/ncu.csv" "$work/launch" "$list" . >"$work/out.txt"
grep -v '^==' "$work/out.txt" >"$work/names.txt"

echo "# Hardware counters of the launches of $list, summed over the GPU, one launch each."
echo "# $(nvidia-smi -i 0 --query-gpu=name,driver_version --format=csv,noheader)"
echo "# Nsight Compute $(ncu --version | sed -n 's/^Version //p'), --clock-control none; $(date -u +%F)"
# Numbers have separators of thousands; the columns are found by their names.
awk -F'","' -v names="$work/names.txt" -v metrics="$metrics" '
    { gsub(/^"|"$/, "") }
    /^ID",/ {
        count = split(metrics, metric, ",")
        line = "name"
        for (m = 1; m <= count; m++) {
            for (i = 1; i <= NF; i++)
                if ($i == metric[m])
                    column[m] = i
            line = line "," metric[m]
        }
        print line
    }
    /^[0-9]+",/ {
        getline line <names
        for (m = 1; m <= count; m++) {
            value = $column[m]
            gsub(/,/, "", value)
            line = line "," value
        }
        print line
    }' "$work/ncu.csv"
