/* The plain transpose that tuned kernels are compared with: out[x][y] = in[y][x], one thread per
 * element.  in is rows×cols, out is cols×rows, row major.
 *
 *     transpose_tiles_reference(out, in, rows, cols)
 *     grid  ceil(cols / 16), ceil(rows / 16)      block  16, 16 */

#ifndef SIZE
#define SIZE 4 /* bytes of an element */
#endif

struct alignas(SIZE) Element {
    char bytes[SIZE];
};

extern "C" __global__ void transpose_tiles_reference(Element *out, const Element *in, int rows,
                                                     int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols)
        out[(size_t)x * rows + y] = in[(size_t)y * cols + x];
}
