#include "tests/support/sass_words.h"

static SassInstr encode(const Word *w, int i)
{
    const uint64_t none = SASS_NO_SCOREBOARD;
    const bool jumps = w->op == SASS_OP_BRA || w->op == SASS_OP_CALL_144;
    const int behind = w->target - i - 1;
    const uint64_t offset = jumps ? (uint64_t)((int64_t)behind * (SASS_BYTES / 4)) : 0;
    const uint32_t number = w->op == SASS_OP_BSSY ? (uint32_t)(behind * SASS_BYTES) : w->number;
    const uint64_t low = (uint64_t)w->op | (w->guard ? 0 : (uint64_t)SASS_ALWAYS) << 12 |
                         ((offset | (uint64_t)w->result) & 0xff) << 16 |
                         (offset >> 8 & 0x3fffffff) << 34 | (uint64_t)w->groups << 38 |
                         (uint64_t)number << 32 |
                         (uint64_t)(w->form ? w->form : SASS_FORM_NUMBER_SECOND) << 9;
    const uint64_t high = (offset >> 38 & 0x3ff) | w->more | (uint64_t)SASS_ALWAYS << 23 |
                          (jumps ? 0 : 4u << 9) | (uint64_t)w->scope << 12 |
                          (uint64_t)w->stall << 41 |
                          (w->write ? (uint64_t)w->write - 1 : none) << 46 |
                          (w->read ? (uint64_t)w->read - 1 : none) << 49 | (uint64_t)w->wait << 52;
    return sass_instr(low, high, 90);
}

static void put(uint8_t *at, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(word >> 8 * i);
}

uint8_t *sass_words(Arena *a, const Word *words, size_t count)
{
    uint8_t *code = ARENA_ARRAY(a, uint8_t, count * SASS_BYTES + 1);
    for (size_t i = 0; i < count; i++) {
        const SassInstr w = encode(&words[i], (int)i);
        put(code + i * SASS_BYTES, w.low);
        put(code + i * SASS_BYTES + 8, w.high);
    }
    return code;
}

SassFlow *sass_words_flow(Arena *a, const Word *words, size_t count)
{
    const CubinKernel k = {.code = sass_words(a, words, count), .code_bytes = count * SASS_BYTES};
    return sass_flow_build(a, 90, &k);
}

SassJoin *sass_words_join(Arena *a, const SassFlow *f, double visits)
{
    SassJoin *j = ARENA_NEW(a, SassJoin);
    const size_t n = (size_t)f->cfg->count;
    *j = (SassJoin){
        .flow = f, .visits = ARENA_ARRAY(a, double, n), .edges = ARENA_ARRAY(a, double *, n)};
    for (int b = 0; b < f->cfg->count; b++) {
        const CfgBlock *block = &f->cfg->blocks[b];
        const bool looped = f->loops->loop_of[b] != CFG_NONE;
        j->visits[b] = looped ? visits : 1;
        j->edges[b] = ARENA_ARRAY(a, double, (size_t)block->succ_count + 1);
        for (int k = 0; k < block->succ_count; k++)
            j->edges[b][k] = !looped                                       ? 1
                             : loop_contains(f->loops, 0, block->succs[k]) ? visits - 1
                                                                           : 1;
        if (looped && block->succ_count == 1)
            j->edges[b][0] = visits;
    }
    return j;
}
