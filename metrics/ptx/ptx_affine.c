#include "metrics/ptx/ptx_affine.h"

__extension__ typedef __int128 Wide;

enum { SOURCES = 4 };

/* One lane of an instruction at time 0. */
typedef struct Step {
    const PtxForm *form;
    int bits; /* of the sources */
    bool is_signed;
    uint64_t v[SOURCES]; /* values */
    int64_t d[SOURCES];  /* changes of the low `bits` */
    bool moves[SOURCES];
    int count;
    uint64_t limit;
} Step;

static void lower(Step *s, Wide times)
{
    if (times < (Wide)s->limit)
        s->limit = times < 0 ? 0 : (uint64_t)times;
}

/* --- values as numbers ----------------------------------------------------------------------- */

static Wide number(uint64_t v, int bits, bool is_signed)
{
    return is_signed ? (Wide)ptx_value_signed(v, bits) : (Wide)ptx_value_truncate(v, bits);
}

/* Limits the times to those until v + t·d < 0 changes its truth. */
static void keep_sign(Step *s, Wide v, Wide d)
{
    if (v < 0 && d > 0)
        lower(s, (-v - 1) / d + 1);
    else if (v >= 0 && d < 0)
        lower(s, v / -d + 1);
}

/* Limits the times to those until source i leaves the range of its type. */
static void keep_in_range(Step *s, int i, bool is_signed)
{
    const Wide v = number(s->v[i], s->bits, is_signed), one = 1;
    const Wide top = is_signed ? (one << (s->bits - 1)) - 1 : (one << s->bits) - 1;
    const Wide bottom = is_signed ? -(one << (s->bits - 1)) : 0;
    keep_sign(s, v - top - 1, s->d[i]);
    keep_sign(s, v - bottom, s->d[i]);
}

static void keep_difference(Step *s, Wide v, Wide d)
{
    if (d == 0)
        return;
    if (v == 0)
        lower(s, 1);
    else if (-v % d == 0 && -v / d > 0)
        lower(s, -v / d);
}

static bool is_unsigned_order(PtxCompare c)
{
    return c == PTX_LO || c == PTX_LS || c == PTX_HI || c == PTX_HS;
}

/* The outcome of comparing the first two sources, assuming that they do not wrap around. */
static bool keep_outcome(Step *s, PtxCompare how)
{
    const bool is_signed = s->is_signed && !is_unsigned_order(how);
    const Wide v = number(s->v[0], s->bits, is_signed) - number(s->v[1], s->bits, is_signed);
    const Wide d = (Wide)s->d[0] - s->d[1];
    switch (ptx_orders(how)) {
    case PTX_SAME:
    case PTX_LESS | PTX_MORE:
        keep_difference(s, v, d);
        return true;
    case PTX_LESS:
    case PTX_MORE | PTX_SAME:
        keep_sign(s, v, d);
        return true;
    case PTX_LESS | PTX_SAME:
    case PTX_MORE:
        keep_sign(s, v - 1, d);
        return true;
    default:
        return false;
    }
}

static bool keep_comparison(Step *s, PtxCompare how)
{
    const bool is_signed = s->is_signed && !is_unsigned_order(how);
    keep_in_range(s, 0, is_signed);
    keep_in_range(s, 1, is_signed);
    return keep_outcome(s, how);
}

/* --- operations: the change of the result; false if there is none ---------------------------- */

static bool product(Step *s, int64_t *out)
{
    const bool wide = s->form->half == PTX_WIDE;
    if (s->form->half == PTX_HIGH || (s->moves[0] && s->moves[1]))
        return false;
    const int moving = s->moves[0] ? 0 : 1;
    if (wide)
        keep_in_range(s, moving, s->is_signed);
    const uint64_t factor = s->v[1 - moving];
    const Wide fixed = number(factor, s->bits, s->is_signed);
    *out = (int64_t)((uint64_t)s->d[moving] * (uint64_t)fixed);
    return true;
}

static bool product_and_sum(Step *s, int64_t *out)
{
    int64_t change = 0;
    if (s->form->flags & (PTX_FLAG_SAT | PTX_FLAG_CC))
        return false;
    if ((s->moves[0] || s->moves[1]) && !product(s, &change))
        return false;
    *out = (int64_t)((uint64_t)change + (uint64_t)s->d[2]);
    return true;
}

/* Bits that may change: from the lowest set bit of the change up. */
static uint64_t moving_bits(const Step *s, int i)
{
    const uint64_t d = ptx_value_truncate((uint64_t)s->d[i], s->bits);
    return d == 0 ? 0 : ptx_value_truncate(~UINT64_C(0) << __builtin_ctzll(d), s->bits);
}

/* and, or, xor of a moving source with a fixed one whose bits are all 0 or all 1 where the other moves. */
static bool logic(Step *s, int64_t *out)
{
    if (s->moves[0] && s->moves[1])
        return false;
    const int moving = s->moves[0] ? 0 : 1;
    const uint64_t mask = moving_bits(s, moving), fixed = s->v[1 - moving] & mask;
    if (fixed != 0 && fixed != mask)
        return false;
    const bool ones = fixed != 0;
    switch (s->form->op) {
    case PTX_AND:
        *out = ones ? s->d[moving] : 0;
        return true;
    case PTX_OR:
        *out = ones ? 0 : s->d[moving];
        return true;
    default:
        *out = ones ? -s->d[moving] : s->d[moving];
        return true;
    }
}

static bool shift_left(const Step *s, int64_t *out)
{
    const uint64_t amount = ptx_value_truncate(s->v[1], 32);
    if (s->moves[1])
        return false;
    *out = amount >= (uint64_t)s->bits ? 0 : (int64_t)((uint64_t)s->d[0] << amount);
    return true;
}

static bool divides(Wide divisor, int64_t change)
{
    return divisor != 0 && change % divisor == 0;
}

static bool shift_right(Step *s, int64_t *out)
{
    const uint64_t amount = ptx_value_truncate(s->v[1], 32);
    if (s->moves[1] || amount >= (uint64_t)s->bits - 1)
        return false;
    const Wide divisor = (Wide)1 << amount;
    if (!divides(divisor, s->d[0]))
        return false;
    keep_in_range(s, 0, s->is_signed);
    *out = (int64_t)(s->d[0] / divisor);
    return true;
}

/* Divides by a fixed positive divisor of the change while the dividend is not negative. */
static bool divide(Step *s, int64_t *out)
{
    const Wide divisor = number(s->v[1], s->bits, s->is_signed);
    const Wide v = number(s->v[0], s->bits, s->is_signed);
    if (s->moves[1] || divisor <= 0 || v < 0 || !divides(divisor, s->d[0]))
        return false;
    keep_in_range(s, 0, s->is_signed);
    keep_sign(s, v, s->d[0]);
    *out = s->form->op == PTX_REM ? 0 : (int64_t)(s->d[0] / divisor);
    return true;
}

static bool lesser(Step *s, int64_t *out)
{
    const Wide a = number(s->v[0], s->bits, s->is_signed);
    const Wide b = number(s->v[1], s->bits, s->is_signed);
    if (!keep_comparison(s, a < b ? PTX_LT : PTX_GE))
        return false;
    *out = s->d[(a < b) == (s->form->op == PTX_MIN) ? 0 : 1];
    return true;
}

static bool field(const Step *s, int64_t *out)
{
    const uint64_t end = (s->v[1] & 255) + (s->v[2] & 255);
    const uint64_t mask = moving_bits(s, 0);
    *out = 0;
    return !s->moves[1] && !s->moves[2] && mask != 0 && end <= (uint64_t)__builtin_ctzll(mask);
}

static bool convert(Step *s, int64_t *out)
{
    const PtxForm *f = s->form;
    const int to = ptx_types[f->types[0]].bits;
    if (f->flags & PTX_FLAG_SAT)
        return false;
    if (to > s->bits)
        keep_in_range(s, 0, s->is_signed);
    *out = s->d[0];
    /* A narrower result may jump when it is read with more bits. */
    return to >= s->bits || to >= 32;
}

static bool plain(const Step *s)
{
    return !(s->form->flags & (PTX_FLAG_SAT | PTX_FLAG_CC));
}

static bool change_of(Step *s, int64_t *out)
{
    switch (s->form->op) {
    case PTX_MAPA:
        *out = s->d[0];
        return true;
    case PTX_MOV:
    case PTX_CVTA:
        *out = s->d[0];
        return s->count == 1;
    case PTX_ADD:
        *out = (int64_t)((uint64_t)s->d[0] + (uint64_t)s->d[1]);
        return plain(s);
    case PTX_SUB:
        *out = (int64_t)((uint64_t)s->d[0] - (uint64_t)s->d[1]);
        return plain(s);
    case PTX_NEG:
    case PTX_NOT:
        *out = (int64_t)(0 - (uint64_t)s->d[0]);
        return true;
    case PTX_MUL:
        return product(s, out);
    case PTX_MAD:
        return product_and_sum(s, out);
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
        return logic(s, out);
    case PTX_SHL:
        return shift_left(s, out);
    case PTX_SHR:
        return shift_right(s, out);
    case PTX_DIV:
    case PTX_REM:
        return divide(s, out);
    case PTX_MIN:
    case PTX_MAX:
        return lesser(s, out);
    case PTX_BFE:
        return field(s, out);
    case PTX_SELP:
        *out = s->v[2] & 1 ? s->d[0] : s->d[1];
        return !s->moves[2];
    case PTX_SETP:
    case PTX_SET:
        *out = 0;
        return !(s->count > 2 && s->moves[2]) && keep_comparison(s, s->form->compare);
    case PTX_CVT:
        return convert(s, out);
    default:
        return false;
    }
}

/* --- lanes ----------------------------------------------------------------------------------- */

/* The third source of mad.wide has the result's width. */
static int bits_of_source(const PtxForm *f, int i, int bits)
{
    if (f->op == PTX_MAD && f->half == PTX_WIDE && i == 2)
        return bits * 2;
    return f->op == PTX_SELP && i == 2 ? 1 : bits;
}

typedef struct Job {
    const PtxForm *form;
    const Lanes *sources, *changes, *results;
    int count;
    int bits;
    bool is_signed;
} Job;

/* Operations whose result may be known although a source is not. */
static bool one_side_decides(PtxOp op)
{
    return op == PTX_AND || op == PTX_OR || op == PTX_MUL;
}

/* True if a result that is unknown now stays so at all times. */
static bool unknown_stays(const Job *j, int lane)
{
    bool surely = false;
    for (int i = 0; i < j->count; i++) {
        const bool steady = j->changes[i].known >> lane & 1;
        if (!(j->sources[i].known >> lane & 1))
            surely |= steady;
        else if (one_side_decides(j->form->op) && (!steady || lanes_at(&j->changes[i], lane) != 0))
            return false;
    }
    return surely;
}

/* True if the sources that decide the result alone stay as they are. */
static bool decided_stays(const Job *j, int lane)
{
    for (int i = 0; i < j->count; i++)
        if (j->sources[i].known >> lane & 1 &&
            (!(j->changes[i].known >> lane & 1) || lanes_at(&j->changes[i], lane) != 0))
            return false;
    return true;
}

static bool lane_change(const Job *j, int lane, int64_t *out, uint64_t *limit)
{
    Step s = {.form = j->form, .bits = j->bits, .is_signed = j->is_signed, .limit = *limit};
    bool known = true, changing = false;
    *out = 0;
    for (int i = 0; i < j->count; i++) {
        known &= j->sources[i].known >> lane & 1;
        changing |= !(j->changes[i].known >> lane & 1) || lanes_at(&j->changes[i], lane) != 0;
    }
    if (!changing)
        return true;
    const bool result_known = j->results[0].known >> lane & 1;
    if (!known)
        return result_known ? decided_stays(j, lane) : unknown_stays(j, lane);
    if (j->count > SOURCES || !result_known)
        return false;
    s.count = j->count;
    for (int i = 0; i < j->count; i++) {
        const int bits = bits_of_source(j->form, i, j->bits);
        if (!(j->changes[i].known >> lane & 1))
            return false;
        s.v[i] = lanes_at(&j->sources[i], lane);
        s.d[i] = ptx_value_signed(lanes_at(&j->changes[i], lane), bits);
        s.moves[i] = s.d[i] != 0;
    }
    s.v[0] = ptx_value_truncate(s.v[0], j->bits);
    if (!change_of(&s, out))
        return false;
    *limit = s.limit;
    return true;
}

static bool all_zero(const Lanes *changes, int count)
{
    for (int i = 0; i < count; i++)
        if (!changes[i].uniform || changes[i].v[0] != 0)
            return false;
    return true;
}

/* Fast path: sums and moves in which all lanes change by the same. */
static bool common_change(const Job *j, Lanes *out)
{
    const PtxForm *f = j->form;
    const bool sum = f->op == PTX_ADD || f->op == PTX_SUB;
    const bool move = (f->op == PTX_MOV || f->op == PTX_CVTA) && j->count == 1;
    if ((!sum && !move) || f->flags & (PTX_FLAG_SAT | PTX_FLAG_CC) ||
        !lanes_uniform(j->changes, j->count) || j->results[0].known != UINT32_MAX)
        return false;
    uint64_t d = j->changes[0].v[0];
    if (sum)
        d = f->op == PTX_ADD ? d + j->changes[1].v[0] : d - j->changes[1].v[0];
    lanes_fill(out, (uint64_t)ptx_value_signed(d, j->bits));
    return true;
}

/* Extensions, products and shifts with one source that moves by the same in all lanes and other sources
 * uniform: returns the lane that wraps first, which limits all. -1: look at each lane. */
static int first_to_wrap(const Job *j)
{
    const PtxOp op = j->form->op;
    if ((op != PTX_CVT && op != PTX_MUL && op != PTX_MAD && op != PTX_SHL) ||
        !lanes_uniform(j->changes, j->count) || j->results[0].known != UINT32_MAX)
        return -1;
    const int factors = j->count < 2 ? j->count : 2;
    int moving = -1, first = 0;
    for (int i = 0; i < factors; i++)
        if (ptx_value_truncate(j->changes[i].v[0], j->bits) != 0)
            moving = moving < 0 ? i : SOURCES;
    if (moving < 0 || moving == SOURCES || (factors == 2 && !j->sources[1 - moving].uniform))
        return -1;
    const Lanes *v = &j->sources[moving];
    const bool up = ptx_value_signed(j->changes[moving].v[0], j->bits) > 0;
    for (int i = 1; i < PTX_LANES && !v->uniform; i++) {
        const Wide a = number(v->v[i], j->bits, j->is_signed);
        const Wide b = number(v->v[first], j->bits, j->is_signed);
        if (up ? a > b : a < b)
            first = i;
    }
    return first;
}

void ptx_affine_result(const PtxForm *f, const Lanes *sources, const Lanes *changes, int count,
                       const Lanes results[2], uint32_t lanes, Lanes out[2], uint64_t *limit)
{
    int64_t change = 0;
    lanes_fill(&out[0], 0);
    lanes_fill(&out[1], 0);
    if (all_zero(changes, count))
        return;
    if (ptx_float_calculates(f)) {
        lanes_unknown(&out[0]);
        lanes_unknown(&out[1]);
        return;
    }
    const bool is_signed = ptx_types[ptx_source_type(f)].is_signed;
    const Job j = {f, sources, changes, results, count, ptx_source_bits(f), is_signed};
    if (common_change(&j, &out[0]))
        return;
    if (lanes_uniform(sources, count) && lanes_uniform(changes, count)) {
        if (lane_change(&j, 0, &change, limit))
            lanes_fill(&out[0], (uint64_t)change);
        else
            lanes_unknown(&out[0]);
        out[1].known = out[0].known;
        out[1].uniform = out[0].uniform;
        return;
    }
    const int first = lanes == UINT32_MAX ? first_to_wrap(&j) : -1;
    if (first >= 0 && lane_change(&j, first, &change, limit)) {
        lanes_fill(&out[0], (uint64_t)change);
        return;
    }
    lanes_spread(&out[0]);
    EACH_LANE (i, lanes) {
        if (!lane_change(&j, i, &change, limit))
            out[0].known &= ~(UINT32_C(1) << i);
        out[0].v[i] = (uint64_t)change;
    }
    lanes_spread(&out[1]);
    out[1].known = out[0].known;
}

uint64_t ptx_affine_same(const PtxForm *f, const Lanes *sources, const Lanes *changes,
                         uint32_t lanes)
{
    Step s = {.bits = ptx_source_bits(f),
              .is_signed = ptx_types[ptx_source_type(f)].is_signed,
              .limit = PTX_FOREVER};
    if (ptx_float_calculates(f))
        return s.limit;
    EACH_LANE (lane, lanes) {
        bool known = true;
        for (int i = 0; i < 2; i++) {
            known &= (sources[i].known & changes[i].known) >> lane & 1;
            s.v[i] = lanes_at(&sources[i], lane);
            s.d[i] = ptx_value_signed(lanes_at(&changes[i], lane), s.bits);
        }
        if (known)
            keep_outcome(&s, f->compare);
    }
    return s.limit;
}

bool ptx_affine_join(const Lanes *old, const Lanes *old_change, const Lanes *value,
                     const Lanes *value_change, int lane, uint64_t *change)
{
    const bool was = old->known >> lane & 1, is = value->known >> lane & 1,
               moved = old_change->known >> lane & 1, moves = value_change->known >> lane & 1;
    const uint64_t d = lanes_at(old_change, lane);
    *change = 0;
    if (!moved || !moves)
        return (!was && moved) || (!is && moves);
    if (!was || !is)
        return true; /* unknown at all times */
    if (lanes_at(old, lane) == lanes_at(value, lane))
        *change = d;
    return d == lanes_at(value_change, lane);
}

/* --- changes measured ------------------------------------------------------------------------ */

/* The change of one lane's value; false if unknown. */
static bool value_change(const Lanes *before, const Lanes *now, int lane, int bits,
                         uint64_t *change)
{
    const bool was = before->known >> lane & 1, is = now->known >> lane & 1;
    *change = 0;
    if (!was || !is)
        return was == is;
    const uint64_t d = lanes_at(now, lane) - lanes_at(before, lane);
    if (bits == 1)
        return (d & 1) == 0;
    if (bits == 0 || bits > 64)
        return d == 0;
    *change = (uint64_t)ptx_value_signed(d, bits);
    return true;
}

/* The usual case as vectorizable loops: every lane known before and now. */
static bool all_lanes_change(const Lanes *before, const Lanes *now, int bits, Lanes *change)
{
    if (before->known != UINT32_MAX || now->known != UINT32_MAX || before->uniform ||
        now->uniform || bits < 8 || bits > 64)
        return false;
    const int shift = 64 - bits;
    uint64_t differs = 0;
    for (int i = 0; i < PTX_LANES; i++)
        change->v[i] = (uint64_t)((int64_t)((now->v[i] - before->v[i]) << shift) >> shift);
    for (int i = 0; i < PTX_LANES; i++)
        differs |= change->v[i] ^ change->v[0];
    change->uniform = differs == 0;
    return true;
}

bool ptx_affine_change(const Lanes *before, const Lanes *now, int bits, Lanes *change)
{
    uint64_t d = 0;
    if (before->uniform && now->uniform) {
        if (!value_change(before, now, 0, bits, &d))
            return false;
        lanes_fill(change, d);
        return true;
    }
    change->known = UINT32_MAX;
    change->uniform = false;
    if (all_lanes_change(before, now, bits, change))
        return true;
    bool same = true;
    for (int i = 0; i < PTX_LANES; i++) {
        if (!value_change(before, now, i, bits, &change->v[i]))
            return false;
        same &= change->v[i] == change->v[0];
    }
    change->uniform = same;
    return true;
}
