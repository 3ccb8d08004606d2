#ifndef APTUNE_CHRONO
#define APTUNE_CHRONO
#include <aptune/host.h>
namespace std {
struct milli;
struct micro;
struct nano;
namespace chrono {
APTUNE_CLASS(duration)
APTUNE_CLASS(time_point)
struct steady_clock {
    typedef chrono::time_point<> time_point;
    typedef chrono::duration<> duration;
};
typedef steady_clock system_clock, high_resolution_clock;
typedef duration<> hours, minutes, seconds, milliseconds, microseconds, nanoseconds;
}
}
#endif
