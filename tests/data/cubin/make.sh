#!/bin/sh
# Makes the cubins of this folder anew, and usage.txt from what ptxas says of them.
set -eu
cd "$(dirname "$0")"

{
    echo "# What ptxas -v says of usage.cu; $(nvcc --version | sed -n 's/^Build //p')"
    echo "# arch kernel registers shared_bytes frame_bytes spill_stores spill_loads barriers"
    for arch in 80 90 100; do
        nvcc -arch=sm_$arch -cubin -Xptxas -v usage.cu -o usage_sm_$arch.cubin 2>&1 | awk -v arch=$arch '
            /Compiling entry/ { split($0, part, "\047"); kernel = part[2] }
            /stack frame/ && kernel != "" { frame = $1; stores = $5; loads = $9 }
            / Used / { print arch, kernel, $5, smem($0), frame, stores, loads, barriers($0); kernel = "" }
            function smem(line) { return match(line, /[0-9]+ bytes smem/) ? substr(line, RSTART) + 0 : 0 }
            function barriers(line) { return match(line, /used [0-9]+ barriers/) ? substr(line, RSTART + 5) + 0 : 0 }'
    done
} >usage.txt

# One operation per kernel.
nvcc -arch=sm_80 -cubin ops.cu -o ops_sm_80.cubin
nvcc -arch=sm_100 -cubin ops.cu -o ops_sm_100.cubin

# The same code: another file name, a macro without effect, line information.
nvcc -arch=sm_90 -cubin hash.cu -o hash_base.cubin
other=$(mktemp -d)
{ echo '#line 100 "/elsewhere/other.cu"'; cat hash.cu; } >"$other/other.cu"
nvcc -arch=sm_90 -cubin -lineinfo -DWITHOUT_EFFECT=7 "$other/other.cu" -o hash_other_file.cubin
rm -r "$other"
nvcc -arch=sm_90 -cubin -DNAME=renamed hash.cu -o hash_renamed.cubin
# A cap on the registers that does not bind.
nvcc -arch=sm_90 -cubin -maxrregcount=200 hash.cu -o hash_register_cap.cubin
# Other code, other data, another target.
nvcc -arch=sm_90 -cubin -DFACTOR=5 hash.cu -o hash_factor.cubin
nvcc -arch=sm_90 -cubin -DTHIRD=9 hash.cu -o hash_table.cubin
nvcc -arch=sm_80 -cubin hash.cu -o hash_sm_80.cubin
