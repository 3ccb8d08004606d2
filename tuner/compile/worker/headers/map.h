#ifndef APTUNE_MAP
#define APTUNE_MAP
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(map)
APTUNE_CLASS(multimap)
}
#endif
