/* Our reading of machine instructions against that of NVIDIA's disassembler.
 *
 *     cuobjdump --dump-sass FILE.cubin > FILE.sass
 *     cuobjdump --dump-resource-usage FILE.cubin >> FILE.sass
 *     check_sass FILE.cubin FILE.sass ...
 *
 * For every kernel: its name, how many instructions it has, registers, stack and shared memory. For
 * every instruction: address and words, name, guard, width of memory accesses,
 * targets of branches, whether a branch has a condition, that lanes meet again behind a BSYNC,
 * reads of constants. The disassembler does not print control fields; what is checked of them is
 * what the code needs: whoever reads a register that a load has written since the last branch waits
 * for the load's scoreboard first.
 *
 * Prints the first differences, then one line of totals; returns 1 when there is any. */
#include "metrics/base/file.h"
#include "metrics/cubin/cubin.h"
#include "metrics/cubin/sass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 256, TEXT_BYTES = 400, SHOWN_MOST = 20 };

typedef struct Check {
    const char *file;
    int arch;
    const CubinKernel *kernel;
    size_t count;              /* of its instructions with the padding */
    size_t seen;               /* of these, in the text */
    uint8_t set_by[REGISTERS]; /* scoreboard plus 1 that announces a register */
    long instructions, kernels, usages, waits, differences;
} Check;

static void differ(Check *c, size_t i, const char *text, const char *what)
{
    if (c->differences++ < SHOWN_MOST)
        printf("%s: %s+0x%zx: %s: %s\n", c->file, c->kernel->name, i * SASS_BYTES, what, text);
}

/* The instruction's text without its guard. */
static const char *skip_guard(const char *text)
{
    if (*text != '@')
        return text;
    text += strcspn(text, " ");
    return text + strspn(text, " ");
}

/* "@!P0", "@UP1": predicates of the scalar unit guard by the same field. */
static void check_guard(Check *c, SassInstr w, size_t i, const char *text)
{
    int expected = SASS_ALWAYS;
    bool negated = false, expected_negated = false;
    if (*text == '@') {
        const char *p = text + 1;
        expected_negated = *p == '!';
        p += expected_negated;
        p += *p == 'U';
        expected = p[1] == 'T' ? SASS_ALWAYS : p[1] - '0';
    }
    if (sass_guard(w, &negated) != expected || negated != expected_negated)
        differ(c, i, text, "another guard");
}

/* Is the name part of the mnemonic?  "RED" is of "REDG", "ERRBAR" of "CGAERRBAR". */
static void check_name(Check *c, SassInstr w, size_t i, const char *mnemonic)
{
    const char *name = sass_name(w);
    if (!strstr(mnemonic, name))
        differ(c, i, mnemonic, name);
}

/* Is ".suffix" a part of the mnemonic? */
static bool has_part(const char *mnemonic, const char *part)
{
    const size_t length = strcspn(mnemonic, " ;"), size = strlen(part);
    for (const char *p = mnemonic; p + size < mnemonic + length; p++)
        if (*p == '.' && strncmp(p + 1, part, size) == 0 && strchr(". ;", p[1 + size]))
            return true;
    return false;
}

static int width_of_text(const char *mnemonic)
{
    static const struct {
        const char *part;
        int bytes;
    } WIDTHS[] = {{"U8", 1}, {"S8", 1},   {"U16", 2}, {"S16", 2},
                  {"64", 8}, {"128", 16}, {"256", 32}};
    for (size_t k = 0; k < sizeof WIDTHS / sizeof WIDTHS[0]; k++)
        if (has_part(mnemonic, WIDTHS[k].part))
            return WIDTHS[k].bytes;
    return 4;
}

static void check_width(Check *c, SassInstr w, size_t i, const char *mnemonic)
{
    static const char *const NAMES[] = {"LD", "ST", "LDG", "STG", "LDS", "STS", "LDL", "STL"};
    const size_t length = strcspn(mnemonic, ". ;");
    bool is_access = false;
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; k++)
        is_access |= strlen(NAMES[k]) == length && strncmp(NAMES[k], mnemonic, length) == 0;
    if (sass_access_bytes(w) != (is_access ? width_of_text(mnemonic) : 0))
        differ(c, i, mnemonic, "another width");
}

/* The last operand as an address; SIZE_MAX when it is none. */
static size_t address_of_text(const char *mnemonic)
{
    const char *last = strrchr(mnemonic, ' ');
    if (!last || strncmp(last + 1, "0x", 2) != 0)
        return SIZE_MAX;
    return strtoull(last + 1, NULL, 16);
}

static void check_target(Check *c, SassInstr w, size_t i, const char *mnemonic)
{
    const int op = sass_opcode(w);
    size_t target = SIZE_MAX;
    if (op != SASS_OP_BRA && op != SASS_OP_CALL_144)
        return;
    const size_t expected = address_of_text(mnemonic);
    const bool found = sass_branch_target(w, c->arch, i, c->count, &target);
    if (found ? target * SASS_BYTES != expected : expected < c->count * SASS_BYTES)
        differ(c, i, mnemonic, "another target");
}

/* Lanes meet behind the BSYNC (sass_flow.h counts on it): that is where their BSSY says. */
static void check_meeting(Check *c, SassInstr w, size_t i, const char *mnemonic)
{
    if (sass_opcode(w) != SASS_OP_BSSY)
        return;
    size_t at = 0;
    if (!sass_reconvergence(w, i, c->count, &at) || at * SASS_BYTES != address_of_text(mnemonic))
        differ(c, i, mnemonic, "another meeting");
    else if (at == 0 || sass_opcode(sass_at(c->kernel->code, at - 1, c->arch)) != SASS_OP_BSYNC)
        differ(c, i, mnemonic, "no BSYNC before the meeting");
}

/* "c[0x0][0x210]", "c[0x3][R4+0x8]", "cx[UR4][R2]" */
static void check_constant(Check *c, SassInstr w, size_t i, const char *mnemonic)
{
    const SassConstant k = sass_constant(w);
    const char *bank = strstr(mnemonic, " c[");
    bank = bank ? bank : strstr(mnemonic, " -c[");
    bank = bank ? bank : strstr(mnemonic, "|c[");
    bank = bank ? bank : strstr(mnemonic, "cx[");
    const char *place = bank ? strstr(bank, "][") : NULL;
    const bool is_load = sass_class(w) == SASS_CONSTANT_LOAD,
               indexed = place && place[2] == 'R' && place[3] != 'Z';
    if ((k != SASS_NO_CONSTANT) != (bank != NULL) ||
        (k == SASS_CONSTANT_OPERAND) != (bank && !is_load) ||
        (k == SASS_CONSTANT_INDEXED) != (is_load && indexed))
        differ(c, i, mnemonic, "another use of constants");
}

/* "BRA P1, 0x380", "BRA.U !UP0, 0x…": a predicate among the operands; BRA.DIV asks whether lanes
 * have parted. */
static void check_condition(Check *c, SassInstr w, size_t i, const char *text)
{
    if (sass_opcode(w) != SASS_OP_BRA)
        return;
    const char *operands = strchr(skip_guard(text), ' ');
    operands += strspn(operands, " !U");
    const bool condition = *text == '@' || (*operands == 'P' && operands[1] != 'T') ||
                           has_part(skip_guard(text), "DIV") || has_part(skip_guard(text), "CONV");
    if (sass_conditional(w) != condition)
        differ(c, i, text, condition ? "not taken as conditional" : "taken as conditional");
}

/* --- control fields: registers that loads write ----------------------------------------------- */

static bool next_register(const char **text, int *out)
{
    for (const char *p = *text; *p && *p != ';'; p++) {
        const bool starts = p == *text || !strchr("URPSBX_", p[-1]);
        if (*p != 'R' || !starts || p[1] < '0' || p[1] > '9')
            continue;
        char *end;
        *out = (int)strtol(p + 1, &end, 10);
        *text = end;
        return *out < REGISTERS;
    }
    return false;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void check_waits(Check *c, SassInstr w, size_t i, const char *mnemonic)
{
    const unsigned mask = sass_control(w).wait;
    for (int r = 0; r < REGISTERS; r++)
        if (c->set_by[r] && mask >> (c->set_by[r] - 1) & 1)
            c->set_by[r] = 0;
    const char *operands = mnemonic + strcspn(mnemonic, " "), *p = operands; /* R2UR reads no R2 */
    for (int r; next_register(&p, &r);) {
        if (c->set_by[r])
            differ(c, i, mnemonic, "does not wait for a load");
        c->waits++;
    }
    const int board = sass_control(w).write;
    const bool loads = starts_with(mnemonic, "LDG") || starts_with(mnemonic, "LDS") ||
                       starts_with(mnemonic, "LDL") || starts_with(mnemonic, "LDC") ||
                       starts_with(mnemonic, "S2R ") || starts_with(mnemonic, "MUFU");
    int target;
    p = operands;
    if (loads && board < SASS_NO_SCOREBOARD && !starts_with(mnemonic, "LDGSTS") &&
        !starts_with(mnemonic, "LDGDEP") && !starts_with(mnemonic, "LDCU") &&
        next_register(&p, &target))
        c->set_by[target] = (uint8_t)(board + 1);
    /* Where control comes from elsewhere, nothing is known. */
    if (sass_class(w) == SASS_BRANCH)
        memset(c->set_by, 0, sizeof c->set_by);
}

/* --- the text --------------------------------------------------------------------------------- */

static void check_instruction(Check *c, size_t i, const char *text, uint64_t low, uint64_t high)
{
    if (i >= c->count) {
        differ(c, i, text, "behind the end");
        return;
    }
    c->seen++;
    const SassInstr w = sass_at(c->kernel->code, i, c->arch);
    const char *mnemonic = skip_guard(text);
    c->instructions++;
    if (w.low != low || w.high != high)
        differ(c, i, text, "other words");
    check_guard(c, w, i, text);
    check_name(c, w, i, mnemonic);
    check_width(c, w, i, mnemonic);
    check_target(c, w, i, mnemonic);
    check_meeting(c, w, i, mnemonic);
    check_condition(c, w, i, text);
    check_constant(c, w, i, mnemonic);
    check_waits(c, w, i, mnemonic);
}

static void end_kernel(Check *c)
{
    if (c->kernel && c->seen != c->count)
        differ(c, c->seen, "the end", "another number of instructions");
    c->kernel = NULL;
}

static void begin_kernel(Check *c, const Cubin *cubin, const char *name)
{
    end_kernel(c);
    c->kernel = cubin_find(cubin, name);
    c->count = c->kernel ? c->kernel->code_bytes / SASS_BYTES : 0;
    c->seen = 0;
    c->kernels += c->kernel != NULL;
    if (!c->kernel) {
        printf("%s: no kernel %s\n", c->file, name);
        c->differences++;
    }
    memset(c->set_by, 0, sizeof c->set_by);
}

static void trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && strchr(" ;", text[n - 1]))
        n--;
    text[n] = '\0';
}

/* What a block is given: a line of --dump-resource-usage. */
static void check_usage(Check *c, const CubinKernel *k, const char *line)
{
    int registers;
    long stack, shared;
    if (!k || sscanf(line, " REG:%d STACK:%ld SHARED:%ld", &registers, &stack, &shared) != 3)
        return;
    /* Its section begins with what the system reserves. */
    const long reserved = shared > 0 ? arch_of(c->arch)->shared_reserved : 0;
    c->usages++;
    if (registers == k->registers && stack == k->frame_bytes &&
        shared == k->shared_bytes + reserved)
        return;
    printf("%s: %s: %d registers, %" PRId64 " bytes of stack, %" PRId64 " shared: %s", c->file,
           k->name, k->registers, k->frame_bytes, k->shared_bytes, line);
    c->differences++;
}

/* Lines come in pairs: address, text and low word, then the high word. */
static void check_text(Check *c, const Cubin *cubin, FILE *f)
{
    char line[1000], text[TEXT_BYTES], name[TEXT_BYTES];
    size_t address;
    unsigned long long low, high;
    const CubinKernel *used = NULL;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, " Function : %399s", name) == 1)
            begin_kernel(c, cubin, name);
        else if (sscanf(line, " Function %399[^:]:", name) == 1)
            used = cubin_find(cubin, name);
        check_usage(c, used, line);
        if (!c->kernel || sscanf(line, " /*%zx*/ %399[^/] /* 0x%llx */", &address, text, &low) != 3)
            continue;
        if (!fgets(line, sizeof line, f) || sscanf(line, " /* 0x%llx */", &high) != 1)
            high = 0;
        trim(text);
        check_instruction(c, address / SASS_BYTES, text, low, high);
    }
    end_kernel(c);
}

static bool check_file(Check *c, const char *cubin_path, const char *text_path)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size = 0;
    const char *bytes = file_read(a, cubin_path, &size, &d);
    const Cubin *cubin = bytes ? cubin_read(a, bytes, size, &d) : NULL;
    FILE *f = fopen(text_path, "r");
    const long before = c->instructions;
    if (cubin && f) {
        c->file = cubin_path;
        c->arch = cubin->arch;
        c->kernel = NULL;
        check_text(c, cubin, f);
    }
    if (f)
        fclose(f);
    arena_free(a);
    if (c->instructions == before)
        printf("%s: nothing to compare\n", cubin_path);
    return c->instructions > before;
}

int main(int argc, char **argv)
{
    Check c = {0};
    bool ok = argc > 2;
    for (int i = 1; i + 1 < argc; i += 2)
        ok = check_file(&c, argv[i], argv[i + 1]) && ok;
    printf("sm_%d: %ld instructions of %ld kernels, resources of %ld, %ld registers read, %ld "
           "differences\n",
           c.arch, c.instructions, c.kernels, c.usages, c.waits, c.differences);
    return ok && c.differences == 0 ? 0 : 1;
}
