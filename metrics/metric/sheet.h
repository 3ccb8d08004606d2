/* Device files: the numbers known of a GPU, one per line, each with its unit and origin.
 *
 *     device "NVIDIA H200" 9.0
 *     names "h200"
 *     clock       = 1980 MHz               measured "under load" "2026-11-20"
 *     latency_l2  = 281 +- 2 cycles        measured "pointer chase over 4 MB" "2026-11-20"
 *     bandwidth   = 4800 GB/s              published "NVIDIA data sheet, H200"
 *     latency_sfu = 20 cycles              estimated "between 18 and 24, published for 8.0 to 12.0"
 *
 * `capability 9.0 as 8.0` begins the numbers common to all its GPUs, in addition to those of 8.0; a device
 * may override them.  Many devices described by one document are rows:
 *
 *     devices 8.6 (sms, clock MHz, power W) published "a data base"
 *     "NVIDIA A2"  "a2"  10 1770 60
 *     "NVIDIA A40" "a40" 84 1740  -
 *         power = 300 W                    published "NVIDIA data sheet, A40"
 *
 * `platform "Radeon HD 5850"` begins figures for comparison only.  The lexer is that of specs
 * (metrics/base/lex.h); metrics/device/README.md documents the files for users. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/vec.h"

/* Limits, sizes and clock of a GPU (device.def).  An unknown number is 0. */
typedef struct Device {
    const char *name;      /* "NVIDIA H200" */
    int major, minor;      /* compute capability */
    int block_limit[3];    /* largest block in x, y, z */
    int64_t grid_limit[3]; /* largest grid in x, y, z */
#define DEVICE(type, member, name, quantity, flags, meaning) type member;
#define DERIVED(type, member, meaning)                       type member;
#include "metrics/metric/device.def"
    /* Its rates, latencies and origins; NULL if the driver described it. */
    const struct DeviceSheet *sheet;
} Device;

/* Throughputs of an SM, latencies of a warp, and platform figures, which turn profile counts into cycles.
 * Not known before compute capability 7.0. */
typedef struct DeviceRates {
#define RATE(member, name, quantity, flags, meaning) double member;
#include "metrics/metric/device.def"
} DeviceRates;

typedef struct DeviceLatencies {
#define LATENCY(member, flags, meaning) double member;
#include "metrics/metric/device.def"
} DeviceLatencies;

typedef struct DevicePlatform {
#define PLATFORM(name, quantity, meaning) double name;
#include "metrics/metric/device.def"
} DevicePlatform;

/* A number as written in a file. */
typedef struct DeviceNumber {
    const char *text;   /* "281 +- 2 cycles"; NULL: not known */
    const char *origin; /* "published", "measured" or "estimated" */
    const char *source; /* the document; how it was measured; what it is estimated from */
    const char *date;   /* "2026-11-20"; NULL: not known */
} DeviceNumber;

/* Indices of the numbers, in the order of device.def. */
enum {
#define DEVICE(type, member, name, quantity, flags, meaning) SHEET_##member,
#define TOLD(member, name, quantity, meaning)                SHEET_##member,
#define RATE(member, name, quantity, flags, meaning)         SHEET_RATE_##member,
#define LATENCY(member, flags, meaning)                      SHEET_LATENCY_##member,
#define PLATFORM(name, quantity, meaning)                    SHEET_##name,
#include "metrics/metric/device.def"
    SHEET_NUMBERS,
    SHEET_NAMES = 8
};

typedef struct DeviceSheet {
    Device device; /* its `sheet` is this one */
    DeviceRates rates;
    DeviceLatencies latencies;
    DevicePlatform platform;
#define TOLD(member, name, quantity, meaning) double member;
#include "metrics/metric/device.def"
    const char *names[SHEET_NAMES]; /* simple names (see below), ended by NULL */
    DeviceNumber numbers[SHEET_NUMBERS];
} DeviceSheet;

typedef VEC(DeviceSheet *) SheetList;

/* The contents of one or more files. */
typedef struct DeviceSheets {
    Arena *arena; /* where everything lives */
    SheetList capabilities, devices, platforms;
    const struct DeviceSheets *shipped; /* searched for capabilities, too; may be NULL */
} DeviceSheets;

/* Adds the contents of a device file; false after messages. */
bool sheets_read(const Source *s, DeviceSheets *out, Diag *d);

/* The capability as in sm_90: 10 * major + minor. */
int device_arch(const Device *d);

/* Writes a device with a sheet as a complete device file, with the origin of every number. */
void sheet_write(const Device *d, Buf *out);

/* The name of number `i` in device files; NULL past the last. */
const char *sheet_number_name(size_t i);

/* The index of the number of that name; SHEET_NUMBERS if there is none. */
size_t sheet_number_named(const char *name);

/* The value of number `i` in the units of formulas (seconds, bytes, Hz); NaN: not known. */
double sheet_number(const DeviceSheet *s, size_t i);

/* Sets number `i` and its standard error (0: not known), in the units of formulas.  The texts of `from`,
 * except `text`, which is generated, must live as long as the sheet. */
void sheet_set(Arena *a, DeviceSheet *s, size_t i, double value, double error, DeviceNumber from);

/* The simple form of a name: letters and digits in lower case, without the vendor, so "NVIDIA GeForce RTX
 * 5090" is "rtx5090".  NULL if it is too long for a GPU's name. */
const char *sheet_simple_name(const char *text, size_t length, char room[64]);
