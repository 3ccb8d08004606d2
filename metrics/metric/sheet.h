/* Device files: what is known of a GPU, one number a line, each with its unit and where it is from.
 *
 *     device "NVIDIA H200" 9.0
 *     names "h200"
 *     clock       = 1980 MHz               measured "under load" "2026-11-20"
 *     latency_l2  = 281 +- 2 cycles        measured "pointer chase over 4 MB" "2026-11-20"
 *     bandwidth   = 4800 GB/s              published "NVIDIA data sheet, H200"
 *     latency_sfu = 20 cycles              estimated "between 18 and 24, published for 8.0 to 12.0"
 *
 * `capability 9.0 as 8.0` begins the numbers that every GPU of it has, beyond those of 8.0; a device
 * has those, unless it says otherwise.  Many devices of which one document says the same are rows:
 *
 *     devices 8.6 (sms, clock MHz, power W) published "a data base"
 *     "NVIDIA A2"  "a2"  10 1770 60
 *     "NVIDIA A40" "a40" 84 1740  -
 *         power = 300 W                    published "NVIDIA data sheet, A40"
 *
 * `platform "Radeon HD 5850"` begins figures to compare with, of which nothing is tuned.  Files are read
 * with the lexer of specs (metrics/base/lex.h).  metrics/device/README.md describes them to users. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/vec.h"

/* What a GPU offers a kernel: limits, sizes and clock, which device.def lists.  A number that has no
 * source is 0. */
typedef struct Device {
    const char *name;      /* "NVIDIA H200" */
    int major, minor;      /* compute capability */
    int block_limit[3];    /* largest block in x, y, z */
    int64_t grid_limit[3]; /* largest grid in x, y, z */
#define DEVICE(type, member, name, quantity, flags, meaning) type member;
#define DERIVED(type, member, meaning)                       type member;
#include "metrics/metric/device.def"
    /* Its rates, latencies and where each number is from; NULL when the driver described it. */
    const struct DeviceSheet *sheet;
} Device;

/* How fast an SM does what, how long one warp waits for it, and what else is known: these turn counts
 * of the profile into cycles.  There are none before compute capability 7.0. */
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

/* A number as it is written. */
typedef struct DeviceNumber {
    const char *text;   /* "281 +- 2 cycles"; NULL: not known */
    const char *origin; /* "published", "measured" or "estimated" */
    const char *source; /* which document; how; out of what */
    const char *date;   /* "2026-11-20"; NULL: not known */
} DeviceNumber;

/* Which number is which: their order in device.def. */
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
    const char *names[SHEET_NAMES]; /* letters and digits of all its names, small; NULL: no more */
    DeviceNumber numbers[SHEET_NUMBERS];
} DeviceSheet;

typedef VEC(DeviceSheet *) SheetList;

/* All that one or more files hold. */
typedef struct DeviceSheets {
    Arena *arena; /* where everything lives */
    SheetList capabilities, devices, platforms;
    const struct DeviceSheets *shipped; /* where capabilities are looked for, too; NULL: nowhere */
} DeviceSheets;

/* Adds what a device file holds; false after messages. */
bool sheets_read(const Source *s, DeviceSheets *out, Diag *d);

/* The number of the capability as in sm_90: 10 × major + minor. */
int device_arch(const Device *d);

/* The device as a device file, complete, every number with its origin.  For a device with a sheet.
 */
void sheet_write(const Device *d, Buf *out);

/* The numbers there are: their name in device files.  NULL past the last. */
const char *sheet_number_name(size_t i);

/* Which number has the name; SHEET_NUMBERS: none. */
size_t sheet_number_named(const char *name);

/* Its value as formulas have it (seconds, bytes, Hz); NaN: not known. */
double sheet_number(const DeviceSheet *s, size_t i);

/* Puts a number and its standard error (0: not known), both as formulas have them; texts of `from`
 * but its own must live as long as the sheet. */
void sheet_set(Arena *a, DeviceSheet *s, size_t i, double value, double error, DeviceNumber from);

/* The letters and digits of `text`, small, without the maker's name: "NVIDIA GeForce RTX 5090" is
 * an "rtx5090" to most people.  NULL when there are too many to be a GPU's name. */
const char *sheet_simple_name(const char *text, size_t length, char room[64]);
