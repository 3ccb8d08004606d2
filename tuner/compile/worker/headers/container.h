/* A header of one class, which has the same name. */
#ifndef APTUNE_HEADER_NAME
#define APTUNE_HEADER_NAME
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(HEADER_NAME)
}
#endif
