#ifndef APTUNE_MEMORY
#define APTUNE_MEMORY
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(unique_ptr)
APTUNE_CLASS(shared_ptr)
APTUNE_CLASS(weak_ptr)
APTUNE_CLASS(allocator)
}
#endif
