namespace std {
namespace filesystem {}
}
