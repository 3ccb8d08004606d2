#include "metrics/device/device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The limits of each capability as constants, C9_0_WARPS and so on, for the table below. */
enum {
#define DEVICE(...)
#define CAPABILITY(major, minor, block, threads, warps, blocks, registers, block_registers,        \
                   thread_registers, shared, block_shared, optin, reserved, fp32)                  \
    C##major##_##minor##_BLOCK = block, C##major##_##minor##_THREADS = threads,                    \
    C##major##_##minor##_WARPS = warps, C##major##_##minor##_BLOCKS = blocks,                      \
    C##major##_##minor##_REGISTERS = registers,                                                    \
    C##major##_##minor##_BLOCK_REGISTERS = block_registers,                                        \
    C##major##_##minor##_THREAD_REGISTERS = thread_registers,                                      \
    C##major##_##minor##_SHARED = shared, C##major##_##minor##_BLOCK_SHARED = block_shared,        \
    C##major##_##minor##_OPTIN = optin, C##major##_##minor##_RESERVED = reserved,                  \
    C##major##_##minor##_FP32 = fp32,
#include "metrics/device/devices.def"
#undef CAPABILITY
#undef DEVICE
};

/* Largest blocks and grids: CUDA Programming Guide, "Compute Capabilities"; two-dimensional grids
 * and smaller blocks before 2.0. */
#define BLOCK_LIMIT(major)                                                                         \
    {                                                                                              \
        (major) < 2 ? 512 : 1024, (major) < 2 ? 512 : 1024, 64                                     \
    }
#define GRID_LIMIT(major)                                                                          \
    {                                                                                              \
        (major) < 2 ? 65535 : INT32_MAX, 65535, (major) < 2 ? 1 : 65535                            \
    }

static const Device devices[] = {
#define CAPABILITY(...)
#define DEVICE(name_, aliases, major_, minor_, sms_, clock, l2, dram)                              \
    {.name = name_,                                                                                \
     .major = major_,                                                                              \
     .minor = minor_,                                                                              \
     .sms = sms_,                                                                                  \
     .threads_per_block = C##major_##_##minor_##_BLOCK,                                            \
     .block_limit = BLOCK_LIMIT(major_),                                                           \
     .grid_limit = GRID_LIMIT(major_),                                                             \
     .threads_per_sm = C##major_##_##minor_##_THREADS,                                             \
     .warps_per_sm = C##major_##_##minor_##_WARPS,                                                 \
     .blocks_per_sm = C##major_##_##minor_##_BLOCKS,                                               \
     .registers_per_sm = C##major_##_##minor_##_REGISTERS,                                         \
     .registers_per_block = C##major_##_##minor_##_BLOCK_REGISTERS,                                \
     .registers_per_thread = C##major_##_##minor_##_THREAD_REGISTERS,                              \
     .shared_per_sm = C##major_##_##minor_##_SHARED,                                               \
     .shared_per_block = C##major_##_##minor_##_BLOCK_SHARED,                                      \
     .shared_per_block_optin = C##major_##_##minor_##_OPTIN,                                       \
     .shared_reserved = C##major_##_##minor_##_RESERVED,                                           \
     .clock_hz = clock,                                                                            \
     .l2_bytes = l2,                                                                               \
     .dram_bytes_per_s = dram,                                                                     \
     .fp32_per_sm = C##major_##_##minor_##_FP32},
#include "metrics/device/devices.def"
#undef CAPABILITY
#undef DEVICE
};

/* Other names of each, separated by spaces. */
static const char *const aliases_of[] = {
#define CAPABILITY(...)
#define DEVICE(name, aliases, major, minor, sms, clock, l2, dram) aliases,
#include "metrics/device/devices.def"
#undef CAPABILITY
#undef DEVICE
};

enum { DEVICE_COUNT = sizeof devices / sizeof *devices, NAME_ROOM = 64 };

/* Letters and digits of `text`, small; false when there are too many to be a GPU's name. */
static bool simplify(const char *text, size_t length, char out[NAME_ROOM])
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]))
            continue;
        if (n == NAME_ROOM - 1)
            return false;
        out[n++] = (char)tolower((unsigned char)text[i]);
    }
    out[n] = '\0';
    return true;
}

/* "NVIDIA GeForce RTX 5090" is an "rtx5090" to most people. */
static const char *without_maker(const char *name)
{
    static const char *const makers[] = {"nvidia", "geforce", "tesla"};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(name, makers[i], strlen(makers[i])) == 0)
            name += strlen(makers[i]);
    return name;
}

static bool names_alias(const char *wanted, const char *aliases)
{
    while (*aliases) {
        size_t length = strcspn(aliases, " ");
        char alias[NAME_ROOM];
        if (simplify(aliases, length, alias) && strcmp(wanted, alias) == 0)
            return true;
        aliases += length + (aliases[length] == ' ');
    }
    return false;
}

static bool names_device(const char *wanted, size_t i)
{
    char name[NAME_ROOM];
    return (simplify(devices[i].name, strlen(devices[i].name), name) &&
            strcmp(wanted, without_maker(name)) == 0) ||
           names_alias(wanted, aliases_of[i]);
}

/* The capability in "sm90", "compute90a" or "90": 10 × major + minor, 0 when it is none. */
static int arch_named(const char *name)
{
    if (strncmp(name, "sm", 2) == 0)
        name += 2;
    else if (strncmp(name, "compute", 7) == 0)
        name += 7;
    int arch = 0, read = 0;
    if (sscanf(name, "%3d%n", &arch, &read) != 1)
        return 0;
    /* a and f: targets with features of this capability or family only */
    const char *rest = name + read;
    return strcmp(rest, "") == 0 || strcmp(rest, "a") == 0 || strcmp(rest, "f") == 0 ? arch : 0;
}

const Device *device_find(const char *name)
{
    char simple[NAME_ROOM];
    if (!simplify(name, strlen(name), simple))
        return NULL;
    const char *wanted = without_maker(simple);
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        if (names_device(wanted, i))
            return &devices[i];
    int arch = arch_named(wanted);
    for (size_t i = 0; arch && i < DEVICE_COUNT; i++)
        if (device_arch(&devices[i]) == arch)
            return &devices[i];
    return NULL;
}

const Device *device_at(size_t i)
{
    return i < DEVICE_COUNT ? &devices[i] : NULL;
}

int device_arch(const Device *d)
{
    return 10 * d->major + d->minor;
}

double device_peak_flops(const Device *d)
{
    return 2.0 * d->fp32_per_sm * d->sms * d->clock_hz;
}
