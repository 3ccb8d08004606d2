#ifndef NULL
#define NULL 0
#endif
namespace std {
using ::memcpy;
using ::memset;
using ::size_t;
}
