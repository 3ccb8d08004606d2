extern "C" __global__ void argmin_reference(const float *product, const float *centroid, float *distance, long long *index,
                                            int cols)
{
    size_t row = blockIdx.x * blockDim.x + threadIdx.x;
    float least = 3e38f;
    int place = -1;
    for (int i = 0; i < cols; i++) {
        float value = centroid[i] + product[row * cols + i];
        if (value < least) {
            least = value;
            place = i;
        }
    }
    distance[row] = least;
    index[row] = place;
}
