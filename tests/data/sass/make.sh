#!/bin/sh
# Makes the test data again; needs nvcc.  CUDA 13.0 made what is here.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90 -ptx -o shapes.ptx shapes.cu
nvcc -arch=sm_90 -cubin -o shapes_sm_90.cubin shapes.cu
for arch in 80 100; do
    nvcc -arch=sm_$arch -cubin -o shapes_sm_$arch.cubin shapes.cu
done
for arch in 75 90 100 120; do
    nvcc -arch=sm_$arch -cubin -o settled_sm_$arch.cubin settled.cu
done
