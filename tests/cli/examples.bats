#!/usr/bin/env bats
# The examples build against an installation, and say so where there is no GPU.
load common

setup_file() {
    export PREFIX="$BATS_FILE_TMPDIR/prefix"
    cmake --install "$(dirname "$APTUNE")" --prefix "$PREFIX" >/dev/null
    NVCC=$(find_nvcc) || true
    export NVCC
    export CUDAToolkit_ROOT=${NVCC%/bin/nvcc} # for CMake
}

# nvcc where `setup` looks for it.
find_nvcc() {
    local folder
    for folder in "$CUDA_HOME" "$CUDA_PATH" /usr/local/cuda "$SOURCE/.nvcc"; do
        [ -x "$folder/bin/nvcc" ] && echo "$folder/bin/nvcc" && return
    done
    command -v nvcc
}

needs() {
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "no ${program:-nvcc}"
    done
}

# A copy of an example, as the project of somebody else.
take_example() { cp -r "$SOURCE/examples/$1" . && cd "$1" || return; }

build_by_cmake() {
    cmake -B build -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" \
        >log 2>&1 && cmake --build build >>log 2>&1 || { cat log; return 1; }
}

# The program ends well where there is a GPU, else says that there is none and ends with 77.
says_whether_gpu() {
    run --separate-stderr "$@"
    if [ "$status" -eq 0 ]; then
        has "$output" ': right$'
    else
        status_is 77
        has "$output" 'no GPU here'
    fi
}

@test "cmake-matmul: a CMake project with a tuned matrix multiply" {
    needs "$NVCC" ninja
    take_example cmake-matmul
    build_by_cmake
    says_whether_gpu build/matmul 512
}

@test "embed: a program that tunes itself at its first start" {
    needs "$NVCC" ninja
    take_example embed
    build_by_cmake
    export XDG_CACHE_HOME=$PWD/cache
    says_whether_gpu build/embed
    run "$APTUNE" check multiply.spec
    status_is 0
}

@test "nvcc-make: a tuned transpose with nvcc and make" {
    needs "$NVCC" make c++
    take_example nvcc-make
    run make NVCC="$NVCC" APTUNE="$PREFIX/bin/aptune"
    status_is 0
    lacks "$output" warning
    run make NVCC="$NVCC" APTUNE="$PREFIX/bin/aptune"
    has "$output" 'up to date'
    touch kernel.d # not an input
    says_whether_gpu ./main 512 256
}

@test "FLAVOUR runtime: nvcc compiles the kernel into a CUDA project, with the spec's options" {
    needs "$NVCC" ninja c++
    make_synthetic
    echo 'option "-use_fast_math"' >>space/synthetic.spec
    rm space/recordings/*
    "$tests/synthetic_recording" --right space/synthetic.spec space/recordings
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES CXX CUDA)
find_package(aptune REQUIRED)
add_executable(main main.cpp)
aptune_add_kernel(main SPEC space/synthetic.spec FLAVOUR runtime)
END
    cat >main.cpp <<'END'
#include "synthetic.h"
#include <cstdio>
int main()
{
    synthetic_problem problem = {65536};
    synthetic_choice choice;
    int status = synthetic_choose_for("some device", 90, &problem, &choice);
    std::printf("%s: %s\n", synthetic_status_text(status),
                status == SYNTHETIC_OK ? choice.parameters : "none");
    return status;
}
END
    CUDACXX=$NVCC cmake -B build -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX" \
        -DCMAKE_CUDA_ARCHITECTURES=90 >log 2>&1 || { cat log; false; }
    run cmake --build build --verbose
    status_is 0
    has "$(cat build/aptune/synthetic.options)" '^-use_fast_math$'
    has "$output" 'nvcc .*--options-file .*synthetic\.options'
    run build/main
    status_is 0
    has "$output" 'THREADS=[0-9]+ EACH=[0-9]+$'
}
