/* Any bytes as machine code, joined to the walk of one small kernel: graph, visits and time. */
#include "metrics/cubin/sass_profile.h"
#include "metrics/ptx/ptx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char PTX[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".entry k(.param .u64 p) {\n"
                          ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<3>;\n"
                          "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 0;\n"
                          "L: ld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f2, %f1, %f1, %f2;\n"
                          "bar.sync 0;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 50;\n"
                          "@%p1 bra L;\nst.global.f32 [%rd1], %f2;\nret;\n}\n";

static const Walk *walk(Arena *a)
{
    Source *source = ARENA_NEW(a, Source);
    *source = (Source){"fuzz.ptx", PTX, sizeof PTX - 1};
    Diag d = diag_new(a);
    const PtxFunction *entry = ptx_find_entry(ptx_parse(a, source, &d), "k");
    WalkOptions o = {.launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .has_geometry = true}};
    return walk_warp(a, entry, &o);
}

/* The first byte chooses the architecture. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const int arch = size > 0 && data[0] & 1 ? 90 : 80;
    const CubinKernel k = {.code = data + (size > 0), .code_bytes = size - (size > 0)};
    const SassLoad load = {.warps = 24, .load_wavefronts = 2, .store_wavefronts = 8};
    const SassProfile p = sass_profile(a, arch, &k, walk(a), NULL, &load);
    if (!isfinite(p.serial.cycles) || p.serial.cycles < 0 || !isfinite(p.instr))
        abort();
    arena_free(a);
    return 0;
}
