extern "C" __global__ void clear(int *semaphores)
{
    semaphores[threadIdx.x] = 0;
}
