#ifndef APTUNE_STREAMS
#define APTUNE_STREAMS
#include <string>
namespace std {
APTUNE_CLASS(basic_ostream)
APTUNE_CLASS(basic_istream)
APTUNE_CLASS(basic_fstream)
typedef basic_ostream<char> ostream;
typedef basic_istream<char> istream;
template <class... __C, class __T>
__device__ basic_ostream<__C...> &operator<<(basic_ostream<__C...> &__s, const __T &) {
    return __s;
}
template <class... __C, class __T>
__device__ basic_istream<__C...> &operator>>(basic_istream<__C...> &__s, const __T &) {
    return __s;
}
typedef basic_fstream<char> ofstream, ifstream, fstream, stringstream, ostringstream, istringstream;
}
#endif
