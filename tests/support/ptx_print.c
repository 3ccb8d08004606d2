#include "tests/support/ptx_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_operand(const PtxFunction *f, const PtxOperand *o, Buf *out);

static void print_parts(const PtxFunction *f, const PtxOperand *o, size_t from,
                        const char *separator, Buf *out)
{
    for (size_t i = from; i < o->count; i++) {
        if (i > from)
            buf_puts(out, separator);
        print_operand(f, &o->parts[i], out);
    }
}

static void print_address(const PtxFunction *f, const PtxOperand *o, Buf *out)
{
    buf_putc(out, '[');
    print_operand(f, &o->parts[0], out);
    if (o->value != 0)
        buf_printf(out, "+%" PRId64, o->value);
    if (o->count > 1)
        buf_puts(out, ", ");
    print_parts(f, o, 1, ", ", out);
    buf_putc(out, ']');
}

static void print_named(const char *name, int64_t offset, Buf *out)
{
    buf_puts(out, name);
    if (offset != 0)
        buf_printf(out, "+%" PRId64, offset);
}

/* By register of the function under way: its place in the order of use, from 1; for one that a text
 * declared by itself its own number is another. */
static int *places, used;

static void place_uses(const PtxUses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        if (!places[uses->at[i]])
            places[uses->at[i]] = ++used;
}

static void place_registers(const PtxFunction *f)
{
    used = 0;
    places = memory_zeroed(f->registers.count, sizeof *places);
    for (size_t i = 0; i < f->instrs.count; i++) {
        place_uses(&f->instrs.at[i].reads);
        place_uses(&f->instrs.at[i].writes);
    }
}

static void print_register(const PtxFunction *f, int reg, Buf *out)
{
    const PtxRegister *r = &f->registers.at[reg];
    buf_printf(out, "%%%s_%d_%d", ptx_types[r->type].name, r->vector, places[reg]);
}

/* A function's own by its place: scopes may have the same name. */
static void print_named_variable(const PtxVariable *v, Buf *out)
{
    if (v->function)
        buf_printf(out, "$%c%d", v->is_parameter ? 'P' : v->is_result ? 'R' : 'V', v->index);
    else
        buf_puts(out, v->name);
}

static void print_operand(const PtxFunction *f, const PtxOperand *o, Buf *out)
{
    if (o->negated)
        buf_putc(out, '!');
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        print_register(f, o->index, out);
        print_named(o->name ? o->name : "", o->value, out);
        return;
    case PTX_OPERAND_IMMEDIATE:
        buf_printf(out, "%" PRId64, o->value);
        return;
    case PTX_OPERAND_FLOAT:
        if (o->index == 32)
            buf_printf(out, "0f%08" PRIX64, (uint64_t)o->value);
        else
            buf_printf(out, "0d%016" PRIX64, (uint64_t)o->value);
        return;
    case PTX_OPERAND_VARIABLE:
        print_named_variable(o->variable, out);
        print_named("", o->value, out);
        return;
    case PTX_OPERAND_LABEL:
        buf_printf(out, "$L%d", o->index);
        return;
    case PTX_OPERAND_TABLE:
        buf_printf(out, "$T%d", o->index);
        return;
    case PTX_OPERAND_NAME:
    case PTX_OPERAND_SPECIAL:
    case PTX_OPERAND_FUNCTION:
        print_named(o->name, o->value, out);
        return;
    case PTX_OPERAND_ADDRESS:
        print_address(f, o, out);
        return;
    case PTX_OPERAND_VECTOR:
        buf_putc(out, '{');
        print_parts(f, o, 0, ", ", out);
        buf_putc(out, '}');
        return;
    case PTX_OPERAND_LIST:
        buf_putc(out, '(');
        print_parts(f, o, 0, ", ", out);
        buf_putc(out, ')');
        return;
    case PTX_OPERAND_PAIR:
        print_parts(f, o, 0, "|", out);
        return;
    case PTX_OPERAND_SINK:
        buf_putc(out, '_');
        return;
    }
}

static void print_instr(const PtxFunction *f, const PtxInstr *in, Buf *out)
{
    if (in->guard != PTX_NO_GUARD) {
        buf_puts(out, in->guard_negated ? "@!" : "@");
        print_register(f, in->guard, out);
        buf_putc(out, ' ');
    }
    buf_puts(out, in->form->text);
    for (int i = 0; i < in->count; i++) {
        buf_puts(out, i == 0 ? " " : ", ");
        print_operand(f, &in->operands[i], out);
    }
    buf_putc(out, ';');
}

/* Space, alignment, type, name, dimensions; no ";". */
static void print_variable(const PtxVariable *v, Buf *out)
{
    buf_printf(out, ".%s ", ptx_space_names[v->space]);
    buf_printf(out, ".align %u ", v->align);
    if (v->vector > 1)
        buf_printf(out, ".v%d ", v->vector);
    if (v->type != PTX_NO_TYPE)
        buf_printf(out, ".%s ", ptx_types[v->type].name);
    if (v->is_pointer)
        buf_puts(out, ".ptr ");
    print_named_variable(v, out);
    buf_puts(out, v->dimensions);
}

static void print_parameters(const PtxVariables *list, Buf *out)
{
    buf_putc(out, '(');
    for (size_t i = 0; i < list->count; i++) {
        buf_puts(out, i == 0 ? "\n\t" : ",\n\t");
        print_variable(list->at[i], out);
    }
    buf_puts(out, list->count ? "\n)" : ")");
}

static void print_attributes(const PtxFunction *f, Buf *out)
{
    for (size_t i = 0; i < f->attributes.count; i++) {
        const PtxAttribute *x = &f->attributes.at[i];
        buf_printf(out, "\n%s", x->name);
        for (int k = 0; k < x->count; k++)
            buf_printf(out, "%s%" PRId64, k ? ", " : " ", x->values[k]);
    }
}

/* A range for each type and width: registers of a range are numbered in the order of their use. */
static void print_registers(PtxType type, int vector, Buf *out)
{
    const char *width = vector == 4 ? ".v4 " : vector == 2 ? ".v2 " : "";
    buf_printf(out, "\t.reg %s.%s %%%s_%d_<%d>;\n", width, ptx_types[type].name,
               ptx_types[type].name, vector, used + 1);
}

static void print_declarations(const PtxFunction *f, Buf *out)
{
    for (int t = PTX_PRED; t < PTX_TYPE_COUNT; t++)
        for (int vector = 1; vector <= 4; vector *= 2)
            print_registers((PtxType)t, vector, out);
    for (size_t i = 0; i < f->locals.count; i++) {
        buf_putc(out, '\t');
        print_variable(f->locals.at[i], out);
        buf_puts(out, ";\n");
    }
    for (size_t i = 0; i < f->tables.count; i++) {
        const PtxTable *t = &f->tables.at[i];
        if (t->count == 0) /* another list */
            continue;
        buf_printf(out, "$T%zu: .branchtargets", i);
        for (size_t k = 0; k < t->count; k++) {
            buf_puts(out, k ? ", " : " ");
            print_operand(f, &t->targets[k], out);
        }
        buf_puts(out, ";\n");
    }
}

static void print_code(const PtxFunction *f, Buf *out)
{
    size_t label = 0;
    uint32_t file = 0, line = 0;
    for (size_t i = 0; i <= f->instrs.count; i++) {
        for (; label < f->labels.count && f->labels.at[label].instr == i; label++)
            buf_printf(out, "$L%zu:\n", label);
        if (i == f->instrs.count)
            return;
        const PtxInstr *in = &f->instrs.at[i];
        if (in->file != file || in->line != line)
            buf_printf(out, "\t.loc %u %u 0\n", in->file, in->line);
        file = in->file;
        line = in->line;
        buf_putc(out, '\t');
        print_instr(f, in, out);
        buf_putc(out, '\n');
    }
}

static void print_function(const PtxFunction *f, Buf *out)
{
    buf_puts(out, f->is_entry ? ".entry " : ".func ");
    if (f->results.count) {
        print_parameters(&f->results, out);
        buf_putc(out, ' ');
    }
    buf_puts(out, f->name);
    print_parameters(&f->params, out);
    print_attributes(f, out);
    if (!f->has_body) {
        buf_puts(out, ";\n");
        return;
    }
    buf_puts(out, "\n{\n");
    place_registers(f);
    print_declarations(f, out);
    print_code(f, out);
    buf_puts(out, "}\n");
    free(places);
}

void ptx_print(const PtxModule *m, Buf *out)
{
    if (m->version[0])
        buf_printf(out, ".version %s\n", m->version);
    if (m->target[0])
        buf_printf(out, ".target %s\n", m->target);
    buf_puts(out, ".address_size 64\n\n");
    for (size_t i = 0; i < m->variables.count; i++) {
        print_variable(m->variables.at[i], out);
        buf_puts(out, ";\n");
    }
    for (size_t i = 0; i < m->functions.count; i++) {
        buf_putc(out, '\n');
        print_function(m->functions.at[i], out);
    }
    for (size_t i = 0; i < m->files.count; i++)
        buf_printf(out, ".file %u \"%s\"\n", m->files.at[i].number, m->files.at[i].name);
}
