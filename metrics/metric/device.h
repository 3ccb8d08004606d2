/* Known devices: from the shipped device files, which are embedded in the program (every compute capability
 * CUDA 13 compiles for, and the GeForce 8800 GTX of Ryoo's thesis); from a user's file; or filled in from
 * the driver by the measuring process. */
#pragma once

#include "metrics/base/json_struct.h"
#include "metrics/metric/sheet.h"

/* The shipped files, embedded by embed_files (CMakeLists.txt), so that a program that was moved, its helpers
 * and programs linked with the library all know the devices. */
extern const Source device_files[];
extern const size_t device_file_count;

/* For sending a device to another process; of the sheet only the numbers are sent. */
extern const JsonStruct DEVICE_JSON;

/* A shipped device by the user's or the driver's name, ignoring case, spaces and punctuation: "h200",
 * "NVIDIA H200", "8800gtx".  A compute capability ("sm_90", "compute_90a", "9.0", "90") gives the first GPU
 * in its file, the H200 for 9.0.  NULL if unknown. */
const Device *device_find(const char *name);

/* The device for which code is judged where none is named, here or recorded. */
const Device *device_usual(void);

/* The shipped device of that name if it has this capability (90), else the first one of the capability; NULL
 * if there is none.  `name` may be NULL. */
const Device *device_like(const char *name, int arch);

/* True if the name is a compute capability rather than a GPU. */
bool device_is_capability(const char *name);

/* Shipped device `i`, ordered by capability, then as in its file; NULL past the end. */
const Device *device_at(size_t i);

/* The only device of a user's file, completed by the shipped file of its capability.  NULL with a message. */
const Device *device_file_read(Arena *a, const char *path, Diag *d);

/* A shipped device or platform by name; NULL if unknown.  Platforms are for comparison only: old GPUs of
 * which just a few published numbers are known. */
const DeviceSheet *sheet_find(const char *name);

/* From the device's sheet or, without one, the shipped sheet found by device_like.  NULL if it has none. */
const DeviceRates *device_rates(const Device *d);
const DeviceLatencies *device_latencies(const Device *d);
const DevicePlatform *device_platform(const Device *d);

/* Peak of fp32 fused multiply-adds in FLOP per second. */
double device_peak_flops(const Device *d);
