#include "tuner/spec/first_parts.h"

#include "metrics/base/file.h"
#include "tuner/spec/kernel_types.h"

#include <math.h>

static bool scalar_of(PtxType t, TaskScalar *out)
{
    static const struct {
        PtxType ptx;
        TaskScalar scalar;
    } of[] = {{PTX_U8, TASK_U8},     {PTX_S8, TASK_I8},     {PTX_B8, TASK_U8},
              {PTX_U16, TASK_U16},   {PTX_S16, TASK_I16},   {PTX_B16, TASK_U16},
              {PTX_U32, TASK_I32},   {PTX_S32, TASK_I32},   {PTX_B32, TASK_I32},
              {PTX_U64, TASK_I64},   {PTX_S64, TASK_I64},   {PTX_B64, TASK_I64},
              {PTX_F32, TASK_FLOAT}, {PTX_F64, TASK_DOUBLE}};
    for (size_t i = 0; i < COUNT_OF(of); i++)
        if (of[i].ptx == t)
            return *out = of[i].scalar, true;
    return false;
}

/* The number of members of a struct that the kernel accesses as members of one type, as far as it can be told;
 * 0: their types differ, or are unknown. */
static size_t struct_members(const FirstWriter *w, const KernelParameter *p, size_t i,
                             TaskScalar *type)
{
    enum { MEMBERS_MOST = 16 };
    if (text_ends_with(p->text, "*") || !scalar_of(w->facts.type[i], type) ||
        task_scalar_size(*type) < 4 || p->size % task_scalar_size(*type) != 0)
        return 0;
    const size_t count = p->size / task_scalar_size(*type);
    return count <= MEMBERS_MOST ? count : 0;
}

static void print_element(FirstWriter *w, const KernelParameter *p, size_t members,
                          TaskScalar member)
{
    if (p->known)
        task_type_print(p->type, w->out);
    else if (!members)
        buf_puts(w->out, "uint8");
    for (size_t i = 0; i < members; i++)
        buf_printf(w->out, "%s%s%s", i ? ", " : "struct(", task_scalar_name(member),
                   i + 1 < members ? "" : ")");
}

static void print_buffer(FirstWriter *w, const KernelParameter *p, size_t i)
{
    bool follow = i < KERNEL_FACTS_PARAMETERS;
    bool loads = follow && (w->facts.loaded >> i & 1),
         stores = follow && (w->facts.stored >> i & 1);
    TaskScalar member = TASK_U8;
    const size_t members = p->known || !follow ? 0 : struct_members(w, p, i, &member);
    bool real =
        p->known ? task_scalar_is_float(p->type.scalar) : members && task_scalar_is_float(member);
    bool unused = !loads && !stores && follow && !w->facts.calls;
    const char *role = stores && loads                  ? "inout"
                       : stores                         ? "out"
                       : loads || p->constant || unused ? "in"
                                                        : "inout";
    w->output = w->output || strcmp(role, "in") != 0;
    buf_printf(w->out, "%s %s : ", role, p->name);
    print_element(w, p, members, member);
    buf_puts(w->out, "[");
    const size_t element = p->known ? task_type_size(p->type) : p->size;
    if (!p->known && !members)
        buf_printf(w->out, "%zu * ", p->size ? p->size : 64);
    SCOPED_BUF count = {0};
    if (element == 0 || !first_launch_buffer(w->arena, &w->launch, i, element, w->threads,
                                             p->known || members, &count))
        first_print_product(w, &count);
    if (stores && !code_is_number(w->threads[0]) && code_has_word(buf_text(&count), w->threads[0]))
        VEC_PUSH(w->arena, &w->partial, p->name);
    buf_printf(w->out, "%s]", buf_text(&count));
    if (strcmp(role, "out") != 0)
        buf_puts(w->out, real                  ? " = uniform(-1, 1)"
                         : p->known || members ? " = uniform(0, 9)"
                                               : " = zero");
    buf_printf(w->out, "    # decide: size%s", strcmp(role, "out") == 0 ? "" : " and contents");
    if (!p->known)
        buf_printf(w->out, members ? "; '%s' in the source" : "; bytes of '%s'", p->text);
    buf_puts(w->out, unused ? "; the kernel does not use it\n" : "\n");
}

/* Converts a launched number to an integer type, as the call does: 0xffffffff to an int is -1. False: it is no
 * number of that many bits, so that another variable was read. */
static bool wrap(TaskScalar s, double *number)
{
    const int bits = 8 * (int)task_scalar_size(s);
    const double all = ldexp(1, bits), least = *task_scalar_name(s) == 'i' ? -all / 2 : 0;
    *number = trunc(*number);
    if (*number < -all / 2 || *number >= all || fabs(*number) > 0x1p53)
        return false;
    *number += *number < least ? all : *number >= least + all ? -all : 0;
    return true;
}

static void print_scalar(FirstWriter *w, const KernelParameter *p, const PtxVariable *v, size_t i,
                         const char *size)
{
    bool real = p->known && task_scalar_is_float(p->type.scalar);
    double number;
    const bool launched = !size && p->known && first_launch_number(&w->launch, i, &number) &&
                          (real || wrap(p->type.scalar, &number));
    buf_printf(w->out, "arg %s : ", p->name);
    if (p->known)
        task_type_print(p->type, w->out);
    else
        buf_puts(w->out, v->size == 8   ? "int64"
                         : v->size == 1 ? "uint8"
                         : v->size == 2 ? "uint16"
                                        : "int");
    if (launched)
        buf_printf(w->out, real ? " = %.9g    # decide; %s" : " = %.15g    # decide; %s", number,
                   first_launch_where(w->arena, &w->launch));
    else
        buf_printf(w->out, " = %s%s", size ? size : real ? "0.5" : "1", size ? "" : "    # decide");
    if (!p->known)
        buf_printf(w->out, "; '%s' in the source", p->text);
    buf_putc(w->out, '\n');
}

/* The function before a texture's name, "tex2D<float>("; *type becomes "float", NULL: not given. */
static const char *fetched_by(FirstWriter *w, const char *name, const char **type)
{
    const char *text = w->kernel->text;
    for (const char *at = text; (at = code_find_word(at, name, text)) != NULL; at++) {
        const char *open = at > text ? at - 1 : at; /* the name may begin with "tex", too */
        while (open > text && !strchr(";{", open[-1]) && strncmp(open, "tex", 3) != 0)
            open--;
        const Word function = code_word(open);
        const char *behind = open + function.length;
        const char *close = *behind == '<' ? code_closing(behind, at) : NULL;
        if (function.length < 5 || strncmp(open, "tex", 3) != 0 || !strchr("123", open[3]))
            continue;
        *type = close ? arena_copy(w->arena, behind + 1, (size_t)(close - behind - 1)) : NULL;
        return code_copy(w->arena, function);
    }
    return NULL;
}

static bool host_says(const FirstWriter *w, const char *word)
{
    const HostText *h = w->launch.site ? w->launch.site->place.file->first : NULL;
    while (h && !code_has_word(h->text, word))
        h = h->next;
    return h != NULL;
}

/* Prints a texture with the modes of the kernel's reads and the author's host code. */
static void print_texture(FirstWriter *w, const KernelParameter *p)
{
    const char *name = NULL, *function = fetched_by(w, p->name, &name);
    TaskType type = {TASK_FLOAT, 1};
    if (name)
        task_type_find(name, &type);
    const bool fetch = function ? strstr(function, "Dfetch") != NULL : !w->facts.block[1];
    const int dimensions = fetch ? 1 : function ? function[3] - '0' : 2;
    buf_printf(w->out, "texture %s : ", p->name);
    task_type_print(type, w->out);
    buf_puts(w->out, "[");
    if (dimensions == 1)
        first_print_product(w, w->out);
    for (int i = 0; i < dimensions && dimensions > 1 && dimensions <= DIRECTIONS; i++) {
        const char *size = first_size_along(w, i);
        buf_printf(w->out, "%s%s", i ? ", " : "", size ? size : w->sizes.at[0]);
    }
    buf_printf(w->out, "]%s%s%s = uniform(0, 1)    # decide: size, modes and contents\n",
               fetch ? " fetch" : "",
               !fetch && host_says(w, "cudaFilterModeLinear") && task_scalar_is_float(type.scalar)
                   ? " linear"
                   : "",
               !fetch && host_says(w, "normalizedCoords") && !host_says(w, "cudaAddressModeClamp")
                   ? " normalized"
                   : "");
}

/* --- structs passed by value ----------------------------------------------------------------- */

/* Notes the type of the load that begins at each byte of a parameter. */
static void note_loads(const PtxFunction *entry, const PtxVariable *v, TaskScalar *of, bool *begins)
{
    VEC_EACH (const PtxInstr, in, entry->instrs) {
        if (in->form->class != PTX_CLASS_LOAD || in->form->space != PTX_PARAM || in->count < 2)
            continue;
        const PtxOperand *o = &in->operands[1];
        const bool address = o->kind == PTX_OPERAND_ADDRESS && o->count > 0 &&
                             o->parts[0].kind == PTX_OPERAND_VARIABLE;
        const PtxVariable *from = address ? o->parts[0].variable : NULL;
        TaskScalar scalar;
        if (from != v || !scalar_of(in->form->types[0], &scalar))
            continue;
        for (int k = 0; k < (in->form->vector ? in->form->vector : 1); k++) {
            const size_t at =
                (size_t)(o->value + o->parts[0].value) + (size_t)k * task_scalar_size(scalar);
            if (at + task_scalar_size(scalar) > v->size)
                break;
            of[at] = scalar;
            begins[at] = true;
        }
    }
}

/* Derives members from the loads, with their offsets in `at`; returns their number. */
static size_t find_members(const PtxVariable *v, const TaskScalar *of, const bool *begins,
                           TaskScalar *scalars, size_t *at)
{
    size_t count = 0;
    for (size_t i = 0; i < v->size; i += task_scalar_size(scalars[count++])) {
        size_t free = 1;
        while (i + free < v->size && !begins[i + free])
            free++;
        const TaskScalar gap = i % 4 == 0 && free >= 4 && v->align >= 4 ? TASK_I32 : TASK_U8;
        scalars[count] = begins[i] ? of[i] : gap;
        at[count] = i;
    }
    return count;
}

static void print_pointed(FirstWriter *w, const KernelParameter *p, size_t at,
                          const KernelMembers *m)
{
    SCOPED_BUF elements = {0};
    first_print_product(w, &elements);
    const bool loads = m->loaded >> at / 8 & 1, stores = m->stored >> at / 8 & 1;
    TaskScalar s = TASK_U8;
    w->output = w->output || stores;
    scalar_of(m->type[at / 8], &s);
    buf_printf(w->out, "%s %s_%zu : %s[%s]%s    # decide: size%s; at byte %zu of '%s'\n",
               stores && loads ? "inout"
               : stores        ? "out"
                               : "in",
               p->name, at, task_scalar_name(s), buf_text(&elements),
               !loads                    ? ""
               : task_scalar_is_float(s) ? " = uniform(-1, 1)"
                                         : " = uniform(0, 9)",
               loads ? " and contents" : "", at, p->text);
}

/* Prints a line for a struct parameter passed by value: its members as the code loads them, and integers as
 * wide as fit where it loads nothing.  A struct with pointers becomes a line for each buffer, and `*item`,
 * its item in 'args'.  False with a message: too large. */
static bool print_struct(FirstWriter *w, const PtxFunction *entry, const KernelParameter *p,
                         const PtxVariable *v, const char **item, Diag *d)
{
    Arena *a = w->arena;
    if (v->size > TASK_STRUCT_LIMIT)
        return diag_fail(d,
                         "parameter '%s' of '%s' is a '%s' of %llu bytes passed by value; specs "
                         "support at most %d",
                         p->name, w->kernel->name, p->text, (unsigned long long)v->size,
                         TASK_STRUCT_LIMIT);
    TaskScalar *of = ARENA_ARRAY(a, TaskScalar, v->size + 1);
    TaskScalar *scalars = ARENA_ARRAY(a, TaskScalar, v->size + 1);
    bool *begins = ARENA_ARRAY(a, bool, v->size + 1);
    size_t *at = ARENA_ARRAY(a, size_t, v->size + 1);
    note_loads(entry, v, of, begins);
    const size_t count = find_members(v, of, begins, scalars, at);
    const KernelMembers m = kernel_facts_members(a, entry, v);
    SCOPED_BUF members = {0};
    *item = p->name;
    if (!(m.loaded | m.stored) && v->size <= TASK_VALUE_LIMIT) {
        for (size_t i = 0; i < count; i++)
            buf_printf(&members, "%s%s", i ? ", " : "", task_scalar_name(scalars[i]));
        buf_printf(w->out,
                   "arg %s : struct(%s) = 1    # decide: a list of its members' values; '%s' in "
                   "the source\n",
                   p->name, buf_text(&members), p->text);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const bool pointer = at[i] % 8 == 0 && at[i] / 8 < 64 &&
                             task_scalar_size(scalars[i]) == 8 &&
                             ((m.loaded | m.stored) >> at[i] / 8 & 1);
        if (pointer)
            print_pointed(w, p, at[i], &m);
        buf_printf(&members, "%s%s_%zu", i ? ", " : "", p->name, at[i]);
        if (!pointer)
            buf_printf(&members, " : %s = 1", task_scalar_name(scalars[i]));
    }
    *item = arena_printf(a, "struct(%s)", buf_text(&members));
    return true;
}

/* --- all arguments ---------------------------------------------------------------------------- */

static bool print_arguments(FirstWriter *w, const PtxFunction *entry, Diag *d)
{
    const KernelSource *k = w->kernel;
    if (entry->params.count != k->parameters.count)
        return diag_fail(d, "'%s' takes %zu parameters, but its declaration has %zu", k->name,
                         entry->params.count, k->parameters.count);
    const char **items = ARENA_ARRAY(w->arena, const char *, k->parameters.count + 1);
    bool several = false; /* some parameters need an args line */
    for (size_t i = 0; i < entry->params.count; i++) {
        const PtxVariable *v = entry->params.at[i];
        KernelParameter p = k->parameters.at[i];
        items[i] = p.name;
        p.pointer = p.pointer || v->is_pointer;
        /* A template's type is the one that it was compiled for. */
        for (size_t t = 0; !p.known && t < k->arguments.count; t++)
            if (strcmp(k->arguments.at[t].name, p.text) == 0)
                p.known = task_type_find(first_argument(&k->arguments.at[t], w->guess), &p.type);
        if (!p.pointer && !p.known && *v->dimensions) {
            if (!print_struct(w, entry, &p, v, &items[i], d))
                return false;
            several = several || items[i] != p.name;
            continue;
        }
        if (strcmp(p.text, "cudaSurfaceObject_t") == 0)
            return diag_fail(
                d,
                "parameter '%s' of '%s' is a surface, which specs do not support; pass "
                "the kernel a pointer instead",
                p.name, k->name);
        if (strcmp(p.text, "cudaTextureObject_t") == 0)
            print_texture(w, &p);
        else if (p.pointer)
            print_buffer(w, &p, i);
        else
            print_scalar(w, &p, v, i, w->launch.sizes[i]);
    }
    for (size_t i = 0; several && i < entry->params.count; i++)
        buf_printf(w->out, "%s%s", i ? ", " : "args ", items[i]);
    buf_puts(w->out, several ? "    # decide: the members' values\n" : "");
    return true;
}

/* The type in "static __constant__ float3 name[4]"; false: no such declaration, or another type. */
static bool constant_type(const FirstWriter *w, const char *name, TaskType *out)
{
    EACH_PLACE (h, at, w->guess->texts, name) {
        SCOPED_BUF type = {0};
        bool constant = false;
        for (const char *p = code_back(h->text, at, ";{}\n"); p < at; p++) {
            const Word word = code_word(p);
            const bool mark = code_same(word, "__constant__");
            constant = constant || mark;
            if (word.length && !mark && !code_among(word, "static const"))
                buf_printf(&type, "%s%.*s", type.size ? " " : "", (int)word.length, word.at);
            p += word.length ? word.length - 1 : 0;
        }
        if (constant && task_type_find(buf_text(&type), out))
            return true;
    }
    return false;
}

static void print_constants(FirstWriter *w, const PtxModule *m)
{
    for (size_t i = 0; i < m->variables.count; i++) {
        const PtxVariable *v = m->variables.at[i];
        if (v->space != PTX_CONST || v->size == 0 || v->initial)
            continue;
        TaskType type = {v->type == PTX_F64                         ? TASK_DOUBLE
                         : v->type == PTX_U64                       ? TASK_U64
                         : v->size % 4                              ? TASK_U8
                         : v->type == PTX_F32 || v->type == PTX_B32 ? TASK_FLOAT
                                                                    : TASK_U32,
                         1};
        const bool known = constant_type(w, v->name, &type);
        /* Without a declaration the bits may mean something else. */
        const bool real = known ? task_scalar_is_float(type.scalar) : type.scalar == TASK_FLOAT;
        buf_printf(w->out, "constant %s : ", v->name);
        task_type_print(type, w->out);
        buf_printf(w->out, "[%llu] = %s    # decide: %scontents\n",
                   (unsigned long long)v->size /
                       (task_scalar_size(type.scalar) * (size_t)type.lanes),
                   real ? "uniform(0, 1)" : "zero", known ? "" : "type and ");
    }
}

/* Prints the kernel line, "k<{T}, {N}>", and what it takes to compile it. */
static void print_kernel(FirstWriter *w, const char *file, const char *folder, bool mangled)
{
    const KernelSource *k = w->kernel;
    buf_printf(w->out, "# A first spec for '%s'.  Lines with 'decide' are guesses.\n", k->name);
    buf_printf(w->out, "kernel \"%s\" %s%s%s", file, mangled ? "\"" : "", k->scope, k->name);
    for (size_t i = 0; i < k->arguments.count; i++)
        buf_printf(w->out, "%s{%s}%s", i ? ", " : "<", k->arguments.at[i].name,
                   i + 1 == k->arguments.count ? ">" : "");
    buf_printf(w->out, "%s\n", mangled ? "\"" : "");
    for (size_t i = 0; i < w->guess->include_count; i++)
        buf_printf(w->out, "include \"%s\"%s\n",
                   path_relative(w->arena, folder, w->guess->includes[i]),
                   i < w->guess->include_given ? "" : "    # found: its headers are included");
    if (w->guess->made_of)
        buf_printf(
            w->out,
            "# decide: the project's build makes a header of '%s'; here none of its switches "
            "is on\n",
            w->guess->made_of);
    if (w->guess->standard)
        buf_printf(w->out, "option \"%s\"\n", w->guess->standard);
    if (w->guess->only)
        buf_printf(w->out,
                   "option \"--only-for=%s\"    # the rest of the file does not compile here\n",
                   w->guess->only);
    for (size_t i = 0; i < w->guess->options.count; i++)
        buf_printf(w->out, "option \"%s\"    # %s\n", w->guess->options.at[i].text,
                   w->guess->options.at[i].why);
    for (size_t i = 0; i < w->guess->without_count; i++)
        buf_printf(
            w->out,
            "option \"--without-header=%s\"    # unavailable on the device, and not needed\n",
            w->guess->without[i]);
}

bool first_spec(Arena *a, const char *file, const char *folder, const FirstGuess *g,
                const char *ptx, size_t ptx_size, const char *entry_name, Buf *out, Diag *d)
{
    const PtxModule *m = ptx_parse(a, source_new(a, file, ptx, ptx_size), d);
    const PtxFunction *entry = ptx_find_entry(m, entry_name);
    if (!entry)
        return diag_fail(d, "'%s' is not in the code compiled from '%s'", g->kernel->name, file);
    SCOPED_BUF parameters = {0}, rest = {0};
    FirstWriter w = {.arena = a, .guess = g, .kernel = g->kernel, .out = &parameters};
    kernel_types_take(m, g->kernel);
    w.facts = kernel_facts(a, m, entry);
    /* Cooperative groups use all directions for ranks, whatever the kernel means. */
    if (strstr(g->kernel->text, "cooperative_groups") && first_is_flat(g))
        w.facts.thread[1] = w.facts.thread[2] = false;
    for (size_t i = 0; i < g->kernel->parameters.count; i++)
        VEC_PUSH(a, &w.names, g->kernel->parameters.at[i].name);
    w.launch.kernel = g->kernel;
    w.launch.site = g->launch;
    first_write_parameters(&w);
    first_find_sizes(&w);
    w.out = &rest;
    bool ok = print_arguments(&w, entry, d);
    w.out = out;
    print_kernel(&w, path_relative(a, folder, file), folder,
                 strcmp(entry->name, g->kernel->name) != 0);
    first_write_problem(&w);
    buf_puts(out, buf_text(&parameters));
    first_write_launch(&w);
    buf_puts(out, buf_text(&rest));
    print_constants(&w, m);
    const bool stores = w.facts.stored != 0 && w.output;
    buf_puts(out, stores ? "\n# decide: what is right?  Another kernel, a file, a formula, or\n"
                           "reference first\ntolerance 1e-5    # decide: relative to the size of "
                           "the output\n"
                         : "\n# decide: what is the result, and what is right?\n");
    for (size_t i = 0; i < w.partial.count && stores; i++)
        buf_printf(out, "compare %s sum    # decide: are these partial results?\n",
                   w.partial.at[i]);
    return ok;
}
