#include "tuner/emit/winner.h"

#include "tuner/emit/files.h"
#include "tuner/emit/unit_make.h"

bool emit_winner(Run *r, const char *folder, EmitFlavour flavour, EmitWritten *out, Diag *d)
{
    EmitOptions o = {.flavour = flavour, .accept_stale = true, .fall_back = true};
    UnitMaker *m = unit_begin(r->arena, &o, d);
    const EmitUnit *u = unit_add_run(m, r) ? unit_finish(m) : NULL;
    *out = (EmitWritten){0};
    bool ok = u && files_write(u, folder, d);
    if (ok) {
        out->names = files_list(r->arena, u, &out->count);
        out->uncompiled = u->flavour != flavour ? unit_uncompiled(m) : NULL;
    }
    unit_end(m);
    return ok;
}
