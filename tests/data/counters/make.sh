#!/bin/sh
# Makes PTX and cubins of this folder anew.  The counters belong to the committed ones.
set -eu
cd "$(dirname "$0")"

# compile NAME SOURCE DEFINE...: the cubin is made from the PTX that is kept beside it.
compile() {
    name=$1 source=$2
    shift 2
    nvcc -arch=sm_90 -std=c++17 -ptx "$@" "$source" -o "$name.ptx"
    ptxas -arch=sm_90 "$name.ptx" -o "$name.cubin"
}

# matmul NAME DEFINE...: with small tiles, to keep the files small.
matmul() {
    name=$1
    shift
    compile "matmul_$name" ../../../templates/matmul-core.cu -DBM=64 -DBN=64 -DBK=16 -DUNROLL=4 -DTM=4 \
        -DTN=4 "$@"
}

compile kernels kernels.cu
compile data data.cu
compile tickets tickets.cu
compile fragments fragments.cu
matmul scalar -DVEC=1 -DSTRIDED=0 -DTRANSPOSE_A=0 -DPAD=0 -DPREFETCH=0
matmul scalar_strided -DVEC=1 -DSTRIDED=1 -DTRANSPOSE_A=0 -DPAD=0 -DPREFETCH=0
matmul scalar_padded -DVEC=1 -DSTRIDED=1 -DTRANSPOSE_A=1 -DPAD=1 -DPREFETCH=0
matmul vector -DVEC=4 -DSTRIDED=0 -DTRANSPOSE_A=0 -DPAD=0 -DPREFETCH=0
matmul vector_strided -DVEC=4 -DSTRIDED=1 -DTRANSPOSE_A=1 -DPAD=0 -DPREFETCH=0
matmul vector_padded -DVEC=4 -DSTRIDED=1 -DTRANSPOSE_A=1 -DPAD=4 -DPREFETCH=0
matmul transposed -DVEC=4 -DSTRIDED=0 -DTRANSPOSE_A=1 -DPAD=4 -DPREFETCH=0
matmul pairs -DVEC=2 -DSTRIDED=1 -DTRANSPOSE_A=1 -DPAD=2 -DPREFETCH=2
