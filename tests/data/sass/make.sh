#!/bin/sh
# Makes the test data again; needs nvcc.  CUDA 13.0 made what is here.
set -e
cd "$(dirname "$0")"
nvcc -arch=sm_90 -ptx -o shapes.ptx shapes.cu
nvcc -arch=sm_90 -cubin -o shapes.cubin shapes.cu
nvcc -arch=sm_80 -cubin -o shapes_sm_80.cubin shapes.cu
