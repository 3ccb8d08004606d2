#include "tuner/emit/winner.h"

#include "tuner/emit/files.h"

EmitOptions emit_options_of(const RunOptions *o)
{
    EmitOptions e = {.name = o->emit_name, .prefix = o->emit_prefix, .flavour = EMIT_DRIVER};
    if (o->emit)
        unit_flavour_find(o->emit, &e.flavour);
    return e;
}

bool emit_winner(Run *r, const char *folder, EmitWritten *out, Diag *d)
{
    EmitOptions o = emit_options_of(&r->options);
    o.accept_stale = o.fall_back = true;
    UnitMaker *m = unit_begin(r->arena, &o, d);
    const EmitUnit *u = unit_add_run(m, r) ? unit_finish(m) : NULL;
    *out = (EmitWritten){0};
    bool ok = u && files_write(u, folder, d);
    if (ok) {
        out->names = files_list(r->arena, u, &out->count);
        out->uncompiled = u->flavour != o.flavour ? unit_uncompiled(m) : NULL;
    }
    unit_end(m);
    return ok;
}
