#ifndef APTUNE_THRUST
#define APTUNE_THRUST
#include <aptune/host.h>
namespace std {}
namespace cub {
struct CachingDeviceAllocator;
}
namespace thrust {
APTUNE_CLASS(host_vector)
APTUNE_CLASS(device_vector)
APTUNE_CLASS(universal_vector)
APTUNE_CLASS(device_ptr)
}
#endif
