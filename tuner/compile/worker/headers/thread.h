#ifndef APTUNE_THREAD
#define APTUNE_THREAD
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(__thread)
typedef __thread<char> thread;
}
#endif
