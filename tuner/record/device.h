/* A device as the header of a recording has it: its numbers as facts, and back. */
#ifndef APTUNE_RECORD_DEVICE_H
#define APTUNE_RECORD_DEVICE_H

#include "metrics/metric/device.h"
#include "tuner/record/header.h"

/* Every number of the device as a fact, in `a`. */
const RecordFact *record_device_facts(Arena *a, const Device *d, size_t *count);

/* The device a recording was made on, in `a`; what the header does not say comes from the table of
 * known devices. */
const Device *record_device(Arena *a, const RecordHeader *h);

#endif
