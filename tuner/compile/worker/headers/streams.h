#ifndef APTUNE_STREAMS
#define APTUNE_STREAMS
#include <string>
namespace std {
APTUNE_CLASS(basic_ostream)
APTUNE_CLASS(basic_istream)
APTUNE_CLASS(basic_fstream)
typedef basic_ostream<char> ostream;
typedef basic_istream<char> istream;
typedef basic_fstream<char> ofstream, ifstream, fstream, stringstream, ostringstream, istringstream;
}
#endif
