/* A CUDA driver that runs nothing and says what it was asked for, for tests of emitted units.
 *
 * Built as libcuda.so.1 it stands in for the real one.  Images are texts, "synthetic cubin 90 1.2
 * …" or "synthetic ptx 90 1.2 …": kind, architecture, and what the code is for.  Everything that is
 * asked for becomes a line of standard output.  A program that is linked with it may choose the
 * device and let functions fail. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 256, ARGUMENTS = 64 };

typedef struct Context {
    int number;
} Context;

typedef struct Module {
    char kind[8], number[16];
    int arch;
} Module;

typedef struct Function {
    char name[64];
    int sizes[ARGUMENTS]; /* bytes of each argument */
    int size_count;
} Function;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Context contexts[2] = {{1}, {2}};
static __thread Context *current; /* of this thread */
static __thread Context *below;   /* that it was pushed on */
static int primary = 1;           /* threads begin with the first context */
static __thread int met;

static char device_name[256] = "NVIDIA H200";
static int device_arch = 90, device_shared = 232448;
static char failing[64];
static int failing_with;
static char variable[64];
static size_t variable_bytes;
static Function functions[FUNCTIONS];
static int function_count;

/* --- for the program that is linked with it ------------------------------------------------- */

void fake_device(const char *name, int arch, int shared)
{
    snprintf(device_name, sizeof device_name, "%s", name);
    device_arch = arch;
    device_shared = shared;
}

/* Lets a function fail with a number; 0: none. */
void fake_failure(const char *function, int number)
{
    snprintf(failing, sizeof failing, "%s", function);
    failing_with = number;
}

/* The modules have this variable. */
void fake_variable(const char *name, size_t bytes)
{
    snprintf(variable, sizeof variable, "%s", name);
    variable_bytes = bytes;
}

/* Threads begin without a context, or with the first. */
void fake_contexts(int are_there)
{
    primary = are_there;
    met = 0;
    current = NULL;
}

/* "8 8 4": bytes of each of a function's arguments. */
void fake_arguments(const char *function, const char *sizes)
{
    Function *f = &functions[function_count++];
    snprintf(f->name, sizeof f->name, "%s", function);
    char *end;
    for (long n = strtol(sizes, &end, 10); end != sizes; n = strtol(sizes, &end, 10)) {
        f->sizes[f->size_count++] = (int)n;
        sizes = end;
    }
}

static int fails(const char *function)
{
    return strcmp(failing, function) == 0 ? failing_with : 0;
}

static Context **my_context(void)
{
    if (!met)
        current = primary ? &contexts[0] : NULL;
    met = 1;
    return &current;
}

/* --- the driver ------------------------------------------------------------------------------ */

int cuInit(unsigned flags)
{
    (void)flags;
    return fails("cuInit");
}

int cuDeviceGetName(char *name, int length, int device)
{
    (void)device;
    snprintf(name, (size_t)length, "%s", device_name);
    return fails("cuDeviceGetName");
}

int cuDeviceGetAttribute(int *value, int which, int device)
{
    (void)device;
    if (which == 75)
        *value = device_arch / 10;
    else if (which == 76)
        *value = device_arch % 10;
    else if (which == 97)
        *value = device_shared;
    else
        return 1;
    return fails("cuDeviceGetAttribute");
}

int cuCtxGetCurrent(Context **out)
{
    *out = *my_context();
    return fails("cuCtxGetCurrent");
}

int cuCtxGetDevice(int *device)
{
    *device = 0;
    return *my_context() ? 0 : 201;
}

int cuCtxPushCurrent_v2(Context *c)
{
    below = *my_context();
    current = c;
    printf("push context %d\n", c->number);
    return fails("cuCtxPushCurrent");
}

int cuCtxPopCurrent_v2(Context **out)
{
    *out = *my_context();
    current = below;
    printf("pop context\n");
    return 0;
}

int cuModuleLoadData(Module **out, const void *image)
{
    Module *m = calloc(1, sizeof *m);
    if (sscanf(image, "synthetic %7s %d %15s", m->kind, &m->arch, m->number) != 3) {
        free(m);
        return 200;
    }
    const int error = fails(strcmp(m->kind, "ptx") == 0 ? "ptx" : "cubin");
    const int suits = strcmp(m->kind, "ptx") == 0
                          ? m->arch <= device_arch
                          : m->arch / 10 == device_arch / 10 && m->arch <= device_arch;
    pthread_mutex_lock(&lock);
    printf("load %s %d %s: %d\n", m->kind, m->arch, m->number, error ? error : suits ? 0 : 209);
    pthread_mutex_unlock(&lock);
    if (error || !suits || !*my_context()) {
        free(m);
        return error ? error : suits ? 201 : 209;
    }
    *out = m;
    return 0;
}

int cuModuleUnload(Module *m)
{
    printf("unload %s\n", m->number);
    free(m);
    return 0;
}

int cuModuleGetFunction(Function **out, Module *m, const char *name)
{
    (void)m;
    const int error = fails("cuModuleGetFunction");
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < function_count && strcmp(functions[i].name, name) != 0)
        i++;
    if (i == function_count)
        snprintf(functions[function_count++].name, sizeof functions[0].name, "%s", name);
    *out = &functions[i];
    pthread_mutex_unlock(&lock);
    return error;
}

int cuModuleGetGlobal_v2(unsigned long long *at, size_t *bytes, Module *m, const char *name)
{
    (void)m;
    if (strcmp(name, variable) != 0)
        return 500;
    *at = 0x7000;
    *bytes = variable_bytes;
    return 0;
}

int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *stream)
{
    printf("copy to %llx from %llx %zu bytes stream %p\n", to, from, bytes, stream);
    return fails("cuMemcpyDtoDAsync");
}

int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes, void *stream)
{
    printf("set %llx to %d %zu bytes stream %p\n", to, value, bytes, stream);
    return fails("cuMemsetD8Async");
}

int cuFuncSetAttribute(Function *f, int which, int value)
{
    printf("attribute %d of %s %d\n", which, f->name, value);
    return fails("cuFuncSetAttribute");
}

int cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)extra;
    if (!*my_context())
        return 201;
    flockfile(stdout);
    printf("launch %s grid %u %u %u block %u %u %u shared %u stream %p arguments", f->name, gx, gy,
           gz, bx, by, bz, shared, stream);
    for (int i = 0; i < f->size_count; i++) {
        printf(" ");
        for (int k = 0; k < f->sizes[i]; k++)
            printf("%02x", ((unsigned char *)arguments[i])[k]);
    }
    printf("\n");
    funlockfile(stdout);
    return fails("cuLaunchKernel");
}

int cuLaunchCooperativeKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, void *stream,
                              void **arguments)
{
    printf("cooperative ");
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, NULL);
}
