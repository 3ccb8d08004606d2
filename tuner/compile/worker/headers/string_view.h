#ifndef APTUNE_STRING_VIEW
#define APTUNE_STRING_VIEW
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(basic_string_view)
typedef basic_string_view<char> string_view;
}
#endif
