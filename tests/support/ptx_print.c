#include "tests/support/ptx_print.h"

#include <inttypes.h>
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

static void print_operand(const PtxFunction *f, const PtxOperand *o, Buf *out)
{
    if (o->negated)
        buf_putc(out, '!');
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        buf_puts(out, f->registers.at[o->index].name);
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
        print_named(o->variable->name, o->value, out);
        return;
    case PTX_OPERAND_LABEL:
        print_named(f->labels.at[o->index].name, o->value, out);
        return;
    case PTX_OPERAND_TABLE:
        print_named(f->tables.at[o->index].name, o->value, out);
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
    if (in->guard != PTX_NO_GUARD)
        buf_printf(out, "@%s%s ", in->guard_negated ? "!" : "", f->registers.at[in->guard].name);
    buf_puts(out, in->form->text);
    for (int i = 0; i < in->count; i++) {
        buf_puts(out, i == 0 ? " " : ", ");
        print_operand(f, &in->operands[i], out);
    }
    buf_putc(out, ';');
}

/* Linkage, space, alignment, type, name, dimensions, initial value; no ";". */
static void print_variable(const PtxVariable *v, Buf *out)
{
    if (v->linkage[0])
        buf_printf(out, "%s ", v->linkage);
    buf_printf(out, ".%s ", ptx_space_name(v->space));
    buf_printf(out, ".align %u ", v->align);
    if (v->vector > 1)
        buf_printf(out, ".v%d ", v->vector);
    if (v->opaque)
        buf_printf(out, "%s ", v->opaque);
    if (v->type != PTX_NO_TYPE)
        buf_printf(out, ".%s ", ptx_type_name(v->type));
    if (v->is_pointer)
        buf_puts(out, ".ptr ");
    if (v->is_pointer && v->pointer_space != PTX_GENERIC)
        buf_printf(out, ".%s ", ptx_space_name(v->pointer_space));
    if (v->is_pointer && v->pointer_align)
        buf_printf(out, ".align %u ", v->pointer_align);
    buf_printf(out, "%s%s", v->name, v->dimensions);
    if (v->initial)
        buf_printf(out, " = %s", v->initial);
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

/* One line per type and width, broken at ten registers. */
static void print_registers(const PtxFunction *f, PtxType type, int vector, Buf *out)
{
    int on_line = 0;
    for (size_t i = 0; i < f->registers.count; i++) {
        const PtxRegister *reg = &f->registers.at[i];
        if (reg->type != type || reg->vector != vector)
            continue;
        if (on_line == 0 && vector > 1)
            buf_printf(out, "\t.reg .v%d .%s ", vector, ptx_type_name(type));
        else if (on_line == 0)
            buf_printf(out, "\t.reg .%s ", ptx_type_name(type));
        else
            buf_puts(out, ", ");
        buf_puts(out, reg->name);
        on_line = (on_line + 1) % 10;
        if (on_line == 0)
            buf_puts(out, ";\n");
    }
    if (on_line)
        buf_puts(out, ";\n");
}

static void print_declarations(const PtxFunction *f, Buf *out)
{
    for (int t = 0; t < PTX_TYPE_COUNT; t++)
        for (int vector = 1; vector <= 4; vector *= 2)
            print_registers(f, (PtxType)t, vector, out);
    for (size_t i = 0; i < f->locals.count; i++) {
        buf_putc(out, '\t');
        print_variable(f->locals.at[i], out);
        buf_puts(out, ";\n");
    }
    for (size_t i = 0; i < f->tables.count; i++) {
        const PtxTable *t = &f->tables.at[i];
        buf_printf(out, "%s: %s", t->name, t->text ? t->text : ".branchtargets");
        for (size_t k = 0; k < t->count; k++) {
            buf_puts(out, k ? ", " : " ");
            print_operand(f, &t->targets[k], out);
        }
        buf_puts(out, ";\n");
    }
}

static void print_code(const PtxFunction *f, Buf *out)
{
    size_t label = 0, pragma = 0;
    uint32_t file = 0, line = 0;
    for (size_t i = 0; i <= f->instrs.count; i++) {
        for (; label < f->labels.count && f->labels.at[label].instr == i; label++)
            buf_printf(out, "%s:\n", f->labels.at[label].name);
        for (; pragma < f->pragmas.count && f->pragmas.at[pragma].instr == i; pragma++)
            buf_printf(out, "\t.pragma \"%s\";\n", f->pragmas.at[pragma].text);
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
    if (f->linkage[0])
        buf_printf(out, "%s ", f->linkage);
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
    print_declarations(f, out);
    print_code(f, out);
    buf_puts(out, "}\n");
}

void ptx_print(const PtxModule *m, Buf *out)
{
    if (m->version[0])
        buf_printf(out, ".version %s\n", m->version);
    if (m->target[0])
        buf_printf(out, ".target %s\n", m->target);
    buf_printf(out, ".address_size %d\n\n", m->address_bits);
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
