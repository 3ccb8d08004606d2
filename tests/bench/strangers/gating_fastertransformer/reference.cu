extern "C" __global__ void gate_reference(const float *logits, const bool *finished, float *weights, int rows, int *experts,
    int *source_rows, int k, int count)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    const float *x = logits + (size_t)row * count;
    double sum = 0;
    float most = x[0], last = 0;
    int taken = -1;
    for (int i = 1; i < count; i++) most = max(most, x[i]);
    for (int i = 0; i < count; i++) sum += exp((double)x[i] - most);
    for (int j = 0; j < k; j++) {               // the next one in the order of values, then of places
        int best = -1;
        for (int i = 0; i < count; i++)
            if ((j == 0 || x[i] < last || x[i] == last && i > taken) && (best < 0 || x[i] > x[best])) best = i;
        taken = best;
        last = x[best];
        weights[row * k + j] = exp((double)last - most) / sum;
        experts[row * k + j] = finished[row] ? count : best;
        source_rows[row * k + j] = j * rows + row;
    }
}
