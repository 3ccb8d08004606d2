#include "tests/fuzz/joined.h"

#include "metrics/cubin/sass_profile.h"
#include "metrics/cubin/sass_settle.h"
#include "metrics/ptx/ptx.h"
#include "tests/fuzz/told.h"

#include <math.h>
#include <stdlib.h>

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

void joined_tell(Arena *a, int arch, const CubinKernel *k)
{
    const SassLoad load = {.warps = 24, .load_wavefronts = 2, .store_wavefronts = 8};
    SassFlow *f = sass_flow_build(a, arch, k);
    sass_settle(a, f, &(SassLaunch){.block = {32, 1, 1}, .grid = {1, 1, 1}, .params_at = 0x160});
    const SassProfile p = sass_profile(a, f, walk(a), NULL, &load);
    if (!isfinite(p.serial.cycles) || p.serial.cycles < 0 || !isfinite(p.instr))
        abort();
    Buf out = {0};
    buf_printf(&out, "%.6g %.6g %.6g %.6g %.6g", p.instr, p.serial.cycles, p.behind_branches,
               p.executed_bytes, p.hot_bytes);
    for (int i = 0; i < SASS_UNITS; i++)
        buf_printf(&out, " %.6g", p.by_unit[i]);
    for (int i = 0; i < SASS_WIDTHS; i++)
        buf_printf(&out, " %.6g %.6g %.6g %.6g", p.shared_loads[i], p.shared_stores[i],
                   p.global_loads[i], p.global_stores[i]);
    buf_printf(&out, " %.6g %.6g %.6g %.6g %.6g %.6g\n", p.constant_operands, p.constant_loads,
               p.loop_bytes, p.barriers, p.matches, p.deviation);
    told(&out);
}
