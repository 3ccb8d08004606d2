#include "metrics/device/rates.h"

typedef struct RatesRow {
    int major, minor;
    Rates rates;
} RatesRow;

typedef struct LatenciesRow {
    int major, minor;
    Latencies latencies;
} LatenciesRow;

static const RatesRow rates[] = {
#define LATENCIES(...)
#define RATES(major, minor, ...) {major, minor, {__VA_ARGS__}},
#include "metrics/device/rates.def"
#undef RATES
#undef LATENCIES
};

static const LatenciesRow latencies[] = {
#define RATES(...)
#define LATENCIES(major, minor, ...) {major, minor, {__VA_ARGS__}},
#include "metrics/device/rates.def"
#undef LATENCIES
#undef RATES
};

const Rates *rates_of(const Device *d)
{
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (rates[i].major == d->major && rates[i].minor == d->minor)
            return &rates[i].rates;
    return NULL;
}

const Latencies *latencies_of(const Device *d)
{
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++)
        if (latencies[i].major == d->major && latencies[i].minor == d->minor)
            return &latencies[i].latencies;
    return NULL;
}
