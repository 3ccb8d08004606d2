#ifndef APTUNE_QUEUE
#define APTUNE_QUEUE
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(queue)
APTUNE_CLASS(priority_queue)
}
#endif
