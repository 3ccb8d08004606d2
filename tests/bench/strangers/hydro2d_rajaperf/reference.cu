#define AT(array, k, j) array[(size_t)(k) * jn + (j)]

extern "C" __global__ void hydro_first(double *za, double *zb, const double *zp, const double *zq, const double *zr,
                                       const double *zm, int jn, int kn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i / jn, j = i % jn;
    if (k < 1 || k >= kn - 1 || j < 1 || j >= jn - 1) return;
    double west = AT(zp, k, j - 1) + AT(zq, k, j - 1), here = AT(zp, k, j) + AT(zq, k, j);
    double north_west = AT(zp, k + 1, j - 1) + AT(zq, k + 1, j - 1);
    AT(za, k, j) = (north_west - west) * (AT(zr, k, j) + AT(zr, k, j - 1)) / (AT(zm, k, j - 1) + AT(zm, k + 1, j - 1));
    AT(zb, k, j) = (west - here) * (AT(zr, k, j) + AT(zr, k - 1, j)) / (AT(zm, k, j) + AT(zm, k, j - 1));
}

// The second and the third loop of a point need nothing that other points of these loops write.
extern "C" __global__ void hydro_second(double *zu, double *zv, const double *za, const double *zb, const double *zz,
                                        const double *zr, double *zrout, double *zzout, double s, double t, int jn, int kn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i / jn, j = i % jn;
    if (k < 1 || k >= kn - 1 || j < 1 || j >= jn - 1) return;
    const double *fields[2] = {zz, zr};
    double change[2];
    for (int f = 0; f < 2; f++) {
        const double *z = fields[f];
        double here = AT(z, k, j);
        change[f] = AT(za, k, j) * (here - AT(z, k, j + 1)) - AT(za, k, j - 1) * (here - AT(z, k, j - 1))
                  - AT(zb, k, j) * (here - AT(z, k - 1, j)) + AT(zb, k + 1, j) * (here - AT(z, k + 1, j));
    }
    double u = AT(zu, k, j) + s * change[0], v = AT(zv, k, j) + s * change[1];
    AT(zu, k, j) = u;
    AT(zv, k, j) = v;
    AT(zrout, k, j) = AT(zr, k, j) + t * u;
    AT(zzout, k, j) = AT(zz, k, j) + t * v;
}
