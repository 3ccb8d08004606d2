#ifndef APTUNE_MUTEX
#define APTUNE_MUTEX
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(lock_guard)
APTUNE_CLASS(unique_lock)
APTUNE_CLASS(__lock)
typedef __lock<char> mutex;
}
#endif
