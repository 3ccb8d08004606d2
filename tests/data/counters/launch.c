/* Launches every line of launches.txt once, in its order, for the profiler to count.
 *
 *     launch launches.txt FOLDER      FOLDER: where the cubins are
 *
 * Parameters: buffers (contents.h), iN an integer of 32 bits, lN one of 64, fX a float.  sN: dynamic
 * shared memory.  Buffers are aligned as the driver aligns them (256 bytes or more).  Names of the
 * launches go to the standard output. */
#include "contents.h"

#include <cuda.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 16, TEXT = 256 };

typedef struct Launch {
    char name[TEXT], files[TEXT], kernel[TEXT];
    unsigned grid[3], block[3];
    CUdeviceptr buffer[PARAMETERS];
    long integer[PARAMETERS];
    float number[PARAMETERS];
    unsigned shared;
    void *parameter[PARAMETERS];
    int parameters;
} Launch;

static void check(CUresult r, const char *what)
{
    const char *message = "unknown error";
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorString(r, &message);
    fprintf(stderr, "%s: %s\n", what, message);
    exit(1);
}

static void add_buffer(Launch *l, int i, const Contents *c)
{
    void *room = malloc(c->bytes);
    contents_fill(c, room);
    check(cuMemAlloc(&l->buffer[i], c->bytes), "cuMemAlloc");
    check(cuMemcpyHtoD(l->buffer[i], room, c->bytes), "cuMemcpyHtoD");
    l->parameter[i] = &l->buffer[i];
    free(room);
}

static void add_parameter(Launch *l, const char *word)
{
    if (word[0] == 's') {
        l->shared = (unsigned)strtoul(word + 1, NULL, 10);
        return;
    }
    const int i = l->parameters++;
    Contents c;
    if (contents_read(word, &c)) {
        add_buffer(l, i, &c);
    } else if (word[0] == 'f') {
        l->number[i] = strtof(word + 1, NULL);
        l->parameter[i] = &l->number[i];
    } else {
        l->integer[i] = strtol(word + 1, NULL, 10); /* the lower half comes first */
        l->parameter[i] = &l->integer[i];
    }
}

static int parse(Launch *l, char *line)
{
    int used = 0;
    *l = (Launch){.parameters = 0};
    if (sscanf(line, "%255s %255s %255s %u,%u,%u %u,%u,%u%n", l->name, l->files, l->kernel,
               &l->grid[0], &l->grid[1], &l->grid[2], &l->block[0], &l->block[1], &l->block[2],
               &used) != 9)
        return 0;
    for (char *w = strtok(line + used, " \n"); w && l->parameters < PARAMETERS;
         w = strtok(NULL, " \n"))
        add_parameter(l, w);
    return 1;
}

static void execute(Launch *l, const char *folder)
{
    char path[3 * TEXT];
    CUmodule module;
    CUfunction kernel;
    snprintf(path, sizeof path, "%s/%s.cubin", folder, l->files);
    check(cuModuleLoad(&module, path), path);
    check(cuModuleGetFunction(&kernel, module, l->kernel), l->kernel);
    check(cuLaunchKernel(kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                         l->block[2], l->shared, NULL, l->parameter, NULL),
          l->name);
    check(cuCtxSynchronize(), l->name);
    check(cuModuleUnload(module), path);
    for (int i = 0; i < l->parameters; i++)
        if (l->buffer[i])
            check(cuMemFree(l->buffer[i]), "cuMemFree");
}

int main(int argc, char **argv)
{
    char line[4 * TEXT];
    CUdevice device;
    CUcontext context;
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!f)
        return 2;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    while (fgets(line, sizeof line, f)) {
        Launch l;
        if (line[0] == '#' || !parse(&l, line))
            continue;
        execute(&l, argv[2]);
        puts(l.name);
    }
    fclose(f);
    return 0;
}
