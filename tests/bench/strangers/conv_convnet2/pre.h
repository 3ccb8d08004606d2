// From nvmatrix's headers, which need cuBLAS and cuRAND.
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define DIVUP(x, y) (((x) + (y) - 1) / (y))
