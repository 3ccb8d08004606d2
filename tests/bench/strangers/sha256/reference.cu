__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ unsigned turn(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

static __device__ unsigned byte_of(const unsigned char *message, unsigned length, unsigned blocks, unsigned at)
{
    if (at < length)
        return message[at];
    if (at == length)
        return 0x80;
    if (at < 64 * blocks - 4)
        return 0;
    return (8 * length) >> (8 * (64 * blocks - 1 - at)) & 255;
}

extern "C" __global__ void sha256_reference(const unsigned char *messages, unsigned length, unsigned char *hashes,
                                            unsigned n)
{
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    const unsigned char *message = messages + (size_t)i * length;
    unsigned state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned blocks = (length + 9 + 63) / 64;
    for (unsigned block = 0; block < blocks; block++) {
        unsigned w[64], s[8];
        for (int t = 0; t < 16; t++) {
            w[t] = 0;
            for (int b = 0; b < 4; b++)
                w[t] = w[t] << 8 | byte_of(message, length, blocks, 64 * block + 4 * t + b);
        }
        for (int t = 16; t < 64; t++)
            w[t] = w[t - 16] + (turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 7]
                   + (turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10);
        for (int k = 0; k < 8; k++)
            s[k] = state[k];
        for (int t = 0; t < 64; t++) {
            unsigned one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6]))
                           + K[t] + w[t];
            unsigned two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22))
                           + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            for (int k = 7; k > 0; k--)
                s[k] = s[k - 1];
            s[4] += one;
            s[0] = one + two;
        }
        for (int k = 0; k < 8; k++)
            state[k] += s[k];
    }
    for (int b = 0; b < 32; b++)
        hashes[(size_t)i * 32 + b] = state[b / 4] >> (24 - 8 * (b % 4));
}
