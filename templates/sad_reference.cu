/* The plain sums of absolute differences that tuned kernels are compared with: a thread block for
 * each 4×4 block of the frame, a thread for each of its 33×33 places, in turn.
 *
 *     sad_reference(out sums, in frame, in reference, width, height)
 *     grid  width / 4, height / 4      block  128 */

extern "C" __global__ void sad_reference(unsigned short *sums, const unsigned char *frame,
                                         const unsigned char *reference, int width, int height)
{
    int by = blockIdx.y, bx = blockIdx.x, columns = width / 4, pitch = width + 36;
    (void)height;
#pragma unroll 1
    for (int s = 0; s < 33 * 33; s += 128) {
        int place = s + (int)threadIdx.x, oy = place / 33, ox = place % 33, sum = 0;
        if (place >= 33 * 33)
            return;
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++)
                sum += abs((int)reference[(size_t)(4 * by + oy + y) * pitch + 4 * bx + ox + x] -
                           (int)frame[(size_t)(4 * by + y) * width + 4 * bx + x]);
        sums[((size_t)by * columns + bx) * (33 * 33) + place] = (unsigned short)sum;
    }
}
