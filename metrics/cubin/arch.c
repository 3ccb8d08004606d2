#include "metrics/cubin/arch.h"

#include <stddef.h>

/* Units and barriers: cuda_occupancy.h of CUDA 13.0 (cudaOccMaxBlocksPerSMBlockBarrierLimit), and for 1.x the
 * CUDA Programming Guide 4.x, "Hardware Multithreading".  Machine code: sass.h, and tests/gpu/check_sass.sh,
 * which compares it with cuobjdump. */
static const Arch archs[] = {
    {10, 256, 512, 0, 0, 0, true, false, false},    {12, 512, 512, 0, 0, 0, true, false, false},
    {20, 256, 256, 4, 0, 0, true, false, false},    {75, 256, 256, 4, 0, 0, true, false, true},
    {80, 256, 128, 4, 0, 0, true, false, true},     {86, 256, 128, 4, 0, 0, true, false, true},
    {87, 256, 128, 4, 0, 0, true, false, true},     {88, 256, 128, 4, 0, 0, true, false, true},
    {89, 256, 128, 4, 0, 0, true, false, true},     {90, 256, 128, 4, 2, 1024, true, true, true},
    {100, 256, 128, 4, 2, 1024, false, true, true}, {103, 256, 128, 4, 2, 1024, false, true, true},
    {110, 256, 128, 4, 1, 1024, false, true, true}, {120, 256, 128, 4, 1, 1024, false, true, true},
    {121, 256, 128, 4, 1, 1024, false, true, true},
};

const Arch *arch_of(int number)
{
    size_t i = sizeof archs / sizeof *archs - 1;
    while (i > 0 && archs[i].number > number)
        i--;
    return &archs[i];
}
