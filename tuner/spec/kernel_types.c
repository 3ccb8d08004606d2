#include "tuner/spec/kernel_types.h"

#include <stdio.h>
#include <stdlib.h>

/* C++ names of the scalars and of their vectors, as task_type_find knows them ("bool" aside). */
static const char TYPES[] =
    "bool|char|char2|char3|char4|signed char|unsigned char|uchar2|uchar3|uchar4|"
    "short|short2|short3|short4|unsigned short|ushort2|ushort3|ushort4|"
    "int|int2|int3|int4|unsigned int|uint2|uint3|uint4|"
    "long|long2|unsigned long|ulong2|long long|longlong2|unsigned long long|ulonglong2|"
    "float|float2|float3|float4|double|double2|__half|__half2|__nv_bfloat16|__nv_bfloat162|"
    "__nv_fp8_e4m3|__nv_fp8x2_e4m3|__nv_fp8x4_e4m3|__nv_fp8_e5m2|__nv_fp8x2_e5m2|__nv_fp8x4_e5m2|";

/* The encoding of a parameter: bit 0 a pointer; bits 1 to 7 lanes and scalar + 1, 0: another type; then the
 * size of what is passed or pointed to. */
enum { CODE_LANES = 8, SIZE_SHIFT = 8 };

void kernel_types_ask(const char *expression, size_t count, Buf *out)
{
    buf_puts(out, kernel_types_files[0].text);
    for (const char *at = TYPES, *end; (end = strchr(at, '|')) != NULL; at = end + 1) {
        char name[24];
        TaskType t;
        snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
        if (!task_type_find(name, &t))
            t = (TaskType){TASK_U8, 1};
        if (strncmp(name, "__", 2) == 0)
            buf_printf(out, "struct %s;\n", name);
        buf_printf(out,
                   "template <> struct aptune_types::code<%s> { static const int value = %d; };\n",
                   name, ((int)t.scalar + 1) * CODE_LANES + t.lanes);
    }
    buf_puts(out, "extern \"C\" __device__ int aptune_types_of[] = {");
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%saptune_types::list<decltype(&%s)>::at(%zu)", i ? ", " : "", expression,
                   i);
    buf_puts(out, "};\n");
}

bool kernel_types_blamed(const char *log)
{
    return strstr(log, "aptune_types") || strstr(log, "\n  struct __");
}

bool kernel_types_take(const PtxModule *m, KernelSource *k)
{
    enum { MOST = 64 };
    uint32_t numbers[MOST] = {0};
    const PtxVariable *v = NULL;
    for (size_t i = 0; i < m->variables.count; i++)
        if (strcmp(m->variables.at[i]->name, "aptune_types_of") == 0)
            v = m->variables.at[i];
    if (!v || k->parameters.count > MOST)
        return false;
    /* PTX gives the elements as they are or as bytes, without trailing zeros. */
    const size_t parts = v->type == PTX_B8 || v->type == PTX_U8 ? 4 : 1;
    const char *at = v->initial ? strchr(v->initial, '{') : NULL;
    for (size_t n = 0; at && *at != '}' && n < k->parameters.count * parts; n++) {
        numbers[n / parts] |= (uint32_t)strtoul(at + 1, NULL, 0) << 8 * (n % parts);
        at = strpbrk(at + 1, ",}");
    }
    for (size_t i = 0; i < k->parameters.count; i++) {
        KernelParameter *p = &k->parameters.at[i];
        const int code = numbers[i] >> 1 & 127;
        const int scalar = code / CODE_LANES - 1;
        p->pointer = numbers[i] & 1;
        p->size = numbers[i] >> SIZE_SHIFT;
        p->known = scalar >= 0 && scalar < TASK_SCALARS;
        if (p->known)
            p->type = (TaskType){(TaskScalar)scalar, code % CODE_LANES};
    }
    return true;
}
