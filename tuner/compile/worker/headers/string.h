#ifndef APTUNE_STRING
#define APTUNE_STRING
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(basic_string)
typedef basic_string<char> string;
}
#endif
