extern "C" __global__ void pnpoly_reference(int *bitmap, const float2 *points, const float2 *v, int n, int corners)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    double x = points[i].x, y = points[i].y;
    int inside = 0;
    for (int j = 0, k = corners - 1; j < corners; k = j++)
        if ((v[j].y > y) != (v[k].y > y) &&
            x < ((double)v[k].x - v[j].x) / ((double)v[k].y - v[j].y) * (y - v[j].y) + v[j].x)
            inside = !inside;
    bitmap[i] = inside;
}
