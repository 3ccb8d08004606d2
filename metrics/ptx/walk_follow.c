/* What happens to changes while a stretch is proven: through instructions, at branches, in
 * addresses. */
#include "metrics/ptx/walk_proof.h"
#include "metrics/ptx/walk_stored.h"

#include "metrics/ptx/ptx_affine.h"
#include "metrics/ptx/ptx_warp.h"

#include <string.h>

enum { DRIFTS_MAX = 512 };

/* --- changes of results ------------------------------------------------------------------ */

static void change_of_operand(const Frame *x, const PtxOperand *o, Lanes *out)
{
    if (o->kind == PTX_OPERAND_REGISTER && !o->name)
        lanes_assign(out, &x->proof->changes[o->index], UINT32_MAX);
    else
        lanes_fill(out, 0);
}

/* As ptx_eval_operands counts them. */
static int changes_of_sources(const Frame *x, const PtxInstr *in, Lanes out[PTX_SOURCES])
{
    int n = 0;
    for (int i = in->form->writes; i < in->count; i++) {
        const PtxOperand *o = &in->operands[i];
        const bool many = o->kind == PTX_OPERAND_VECTOR;
        const bool address = o->kind == PTX_OPERAND_ADDRESS;
        for (size_t k = 0; k < (many ? o->count : 1) && n < PTX_SOURCES; k++, n++)
            change_of_operand(x, many ? &o->parts[k] : address ? &o->parts[0] : o, &out[n]);
    }
    return n;
}

static bool steady(const Lanes *change, uint32_t lanes)
{
    if (change->uniform)
        return change->v[0] == 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (!(change->known >> i & 1) || change->v[i] != 0)
            return false;
    }
    return true;
}

static bool all_steady(const Lanes *changes, int count, uint32_t lanes)
{
    for (int i = 0; i < count; i++)
        if (!steady(&changes[i], lanes))
            return false;
    return true;
}

uint32_t walk_skip_proof(const Frame *x)
{
    return walk_proving(x) ? x->proof->number : 0;
}

bool walk_skip_same(const Frame *x, const PtxInstr *in, int count, uint32_t lanes)
{
    Lanes changes[PTX_SOURCES];
    const int n = changes_of_sources(x, in, changes);
    return all_steady(changes, count < n ? count : n, lanes);
}

/* A shuffle moves the changes as it moves the values. */
static void shuffle_changes(const Frame *x, const PtxInstr *in, const Lanes *changes, int count,
                            uint32_t lanes, Lanes out[2])
{
    int from[PTX_LANES];
    Lanes unused[PTX_SOURCES];
    const PtxState s = state_of(x);
    ptx_warp_instr(&s, in, lanes, unused, from);
    if (count < 3 || in->form->op != PTX_SHFL || !all_steady(&changes[1], count - 1, lanes))
        return;
    lanes_spread(&out[0]);
    lanes_fill(&out[1], 0);
    for (int i = 0; i < PTX_LANES; i++) {
        if (from[i] < 0 || !(changes[0].known >> from[i] & 1))
            continue;
        out[0].known |= UINT32_C(1) << i;
        out[0].v[i] = lanes_at(&changes[0], from[i]);
    }
}

static void change_of_results(Frame *x, const PtxInstr *in, const Lanes *results, int count,
                              uint32_t mask, uint32_t lanes, Lanes out[PTX_SOURCES])
{
    Lanes sources[PTX_SOURCES], changes[PTX_SOURCES];
    const PtxForm *f = in->form;
    const bool param = f->op == PTX_LD && f->space == PTX_PARAM;
    const bool kept = x->known->plan->homes[in - x->known->function->instrs.at] && f->op == PTX_LD;
    const bool data = kept || (x->walker->options->data && walk_loads_data(f));
    const bool warp = ptx_warp_computes(f);
    const int n = changes_of_sources(x, in, changes);
    if ((!ptx_eval_computes(f) && !param && !data && !warp) ||
        (all_steady(changes, n, lanes) && (!kept || walk_stored_steady(x, in, lanes)))) {
        for (int k = 0; k < count; k++)
            lanes_fill(&out[k], 0);
        return;
    }
    for (int k = 0; k < count; k++)
        lanes_unknown(&out[k]);
    if (warp && lanes == mask) {
        Lanes two[2] = {out[0], out[0]};
        shuffle_changes(x, in, changes, n, lanes, two);
        memcpy(out, two, (size_t)(count < 2 ? count : 2) * sizeof *out);
        return;
    }
    if (param || data || warp || count > 2 || (count == 2 && f->op != PTX_SETP))
        return;
    Lanes two[2];
    const PtxState s = state_of(x);
    ptx_eval_operands(&s, in, sources);
    ptx_affine_result(f, sources, changes, n, results, lanes, two, &x->proof->limit);
    memcpy(out, two, (size_t)count * sizeof *out);
}

/* Lanes whose guard is not known keep the old value or take the new one. */
static void join_changes(const Frame *x, int reg, const Lanes *value, const Lanes *change,
                         uint32_t maybe)
{
    const Lanes *old = &x->values[reg];
    Lanes *to = &x->proof->changes[reg];
    lanes_spread(to);
    for (uint32_t left = maybe; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint32_t bit = UINT32_C(1) << i;
        uint64_t d = 0;
        const bool known = ptx_affine_join(old->known & bit, lanes_at(old, i), to->known & bit,
                                           to->v[i], value->known & bit, lanes_at(value, i),
                                           change->known & bit, lanes_at(change, i), &d);
        to->known = known ? to->known | bit : to->known & ~bit;
        to->v[i] = d;
    }
}

void walk_skip_instr(Frame *x, const PtxInstr *in, const Lanes *results, int count, uint32_t mask,
                     uint32_t yes, uint32_t maybe)
{
    if (!walk_proving(x))
        return;
    if (in->guard != PTX_NO_GUARD && !steady(&x->proof->changes[in->guard], mask)) {
        walk_skip_abort(x);
        return;
    }
    Lanes changes[PTX_SOURCES];
    change_of_results(x, in, results, count, mask, yes | maybe, changes);
    const PtxOperand *o = &in->operands[0];
    const bool many = o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR;
    const uint32_t threads = x->walker->walk->lanes;
    for (int k = 0; k < count; k++) {
        const PtxOperand *to = many ? &o->parts[k] : o;
        if (to->kind != PTX_OPERAND_REGISTER)
            continue;
        if (maybe)
            join_changes(x, to->index, &results[k], &changes[k], maybe);
        lanes_assign(&x->proof->changes[to->index], &changes[k], yes == threads ? UINT32_MAX : yes);
    }
}

typedef struct BranchCheck {
    const WalkProof *proof;
    uint32_t mask;
    bool moves;
} BranchCheck;

static void look_for_movement(void *context, int reg, bool writes)
{
    BranchCheck *c = context;
    c->moves |= !writes && !steady(&c->proof->changes[reg], c->mask);
}

void walk_skip_branch(Frame *x, const PtxInstr *branch, uint32_t mask)
{
    if (!walk_proving(x))
        return;
    BranchCheck c = {x->proof, mask, false};
    ptx_visit_registers(branch, look_for_movement, &c);
    if (c.moves)
        walk_skip_abort(x);
}

/* --- accesses ---------------------------------------------------------------------------- */

void walk_skip_group(Frame *x, const AccessGroup *g, uint32_t mask, uint32_t lanes)
{
    if (!walk_proving(x))
        return;
    WalkProof *p = x->proof;
    if (g->first->guard != PTX_NO_GUARD && !steady(&p->changes[g->first->guard], mask)) {
        walk_skip_abort(x);
        return;
    }
    if (g->base->kind != PTX_OPERAND_REGISTER || lanes == 0)
        return;
    const Lanes *d = &p->changes[g->base->index];
    const int first = __builtin_ctz(lanes);
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (!(d->known >> i & 1) || lanes_at(d, i) != lanes_at(d, first)) {
            walk_skip_abort(x);
            return;
        }
    }
    const uint32_t step = (uint32_t)lanes_at(d, first) & 15;
    if (step)
        x->known->result->aligns[g - walk_plan_of(x)->accesses->groups.at].varying |=
            15 & (0 - (step & (0 - step)));
}

int64_t walk_skip_step(const Frame *x, const AccessGroup *g, uint32_t lanes)
{
    if (!walk_proving(x) || g->base->kind != PTX_OPERAND_REGISTER)
        return 0;
    return (int64_t)lanes_at(&x->proof->changes[g->base->index], __builtin_ctz(lanes));
}

void walk_skip_access(Frame *x, int cost, const uint64_t *address, uint32_t lanes)
{
    if (!walk_proving(x))
        return;
    const Accesses *accesses = walk_plan_of(x)->accesses;
    const AccessCost *c = &accesses->costs.at[cost];
    const int64_t step = walk_skip_step(x, &accesses->groups.at[c->group], lanes);
    const PtxSpace space = x->known->result->costs[cost].space;
    const int unit = space == PTX_SHARED ? c->bytes : space == PTX_CONST ? 4 : WALK_LINE;
    if (step % unit == 0)
        return;
    if (space == PTX_SHARED && c->aligned)
        return; /* such a load is never merged */
    if (x->proof->drifts.count == DRIFTS_MAX) {
        walk_skip_abort(x);
        return;
    }
    WalkDrift d = {.cost = cost, .lanes = lanes, .step = step};
    memcpy(d.address, address, sizeof d.address);
    WalkProof *p = x->proof;
    if (p->drifts.count == p->drifts.capacity) {
        p->drifts.capacity = p->drifts.capacity ? p->drifts.capacity * 2 : 8;
        p->drifts.at = memory_resize(p->drifts.at, p->drifts.capacity, sizeof *p->drifts.at);
    }
    p->drifts.at[p->drifts.count++] = d;
}
