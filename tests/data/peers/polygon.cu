/* Which points are in a polygon; a C++ function, called by its mangled name. */
namespace geometry {
template <int EACH, typename Index>
__global__ void inside(const float2 *points, const float2 *corners, unsigned char *is_inside,
                       Index count, Index sides)
{
    Index first = (Index)(blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    for (int k = 0; k < EACH; k++) {
        if (first + k >= count)
            return;
        float2 p = points[first + k];
        bool in = false;
        for (Index i = 0, j = sides - 1; i < sides; j = i++) {
            float2 a = corners[i], b = corners[j];
            if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
                in = !in;
        }
#ifdef BUG
        in = first == 128 ? !in : in;
#endif
        is_inside[first + k] = in;
    }
}
}
