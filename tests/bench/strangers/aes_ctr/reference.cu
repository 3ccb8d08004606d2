// AES-128 from its definition, byte by byte: state[4 * column + row].
__device__ unsigned char xtime(unsigned char a) { return a << 1 ^ (a & 0x80 ? 0x1b : 0); }

__device__ unsigned char substitute(unsigned char a)        // a ** 254 is the inverse of a
{
    unsigned char power = 1;
    for (int bit = 0; bit < 8; bit++) {
        unsigned char square = 0, product = 0;
        for (int i = 7; i >= 0; i--) {
            square = xtime(square) ^ (power >> i & 1 ? power : 0);
        }
        power = square;
        if (254 >> (7 - bit) & 1) {
            for (int i = 7; i >= 0; i--)
                product = xtime(product) ^ (power >> i & 1 ? a : 0);
            power = product;
        }
    }
    unsigned x = power;
    x |= x << 8;
    return x ^ x >> 7 ^ x >> 6 ^ x >> 5 ^ x >> 4 ^ 0x63;
}

extern "C" __global__ void aes_reference(const unsigned *counter, unsigned *out, unsigned key0, unsigned key1, unsigned key2,
                                         unsigned key3)
{
    __shared__ unsigned char box[256];
    box[threadIdx.x] = substitute(threadIdx.x);             // launched with 256 threads
    __syncthreads();
    unsigned block = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned words[4] = {counter[0], counter[1], counter[2], counter[3] + block}, key[4] = {key0, key1, key2, key3};
    if (words[3] < block) words[2]++;
    unsigned char state[16], next[16], round_constant = 1;
    for (int i = 0; i < 16; i++)
        state[i] = (words[i / 4] ^ key[i / 4]) >> (24 - 8 * (i % 4));
    for (int round = 1; round <= 10; round++) {
        unsigned last = key[3];
        key[0] ^= (unsigned)(box[last >> 16 & 255] ^ round_constant) << 24 | box[last >> 8 & 255] << 16 | box[last & 255] << 8
                | box[last >> 24];
        for (int i = 1; i < 4; i++)
            key[i] ^= key[i - 1];
        round_constant = xtime(round_constant);
        for (int i = 0; i < 16; i++)                        // row i % 4 moves i % 4 columns
            next[i] = box[state[(i + 4 * (i % 4)) % 16]];
        for (int i = 0; i < 16; i++) {
            const unsigned char *c = next + i / 4 * 4;
            unsigned char a = c[i % 4], b = c[(i + 1) % 4];
            unsigned char mixed = xtime(a ^ b) ^ b ^ c[(i + 2) % 4] ^ c[(i + 3) % 4];
            state[i] = (round < 10 ? mixed : a) ^ (unsigned char)(key[i / 4] >> (24 - 8 * (i % 4)));
        }
    }
    for (int i = 0; i < 4; i++)
        out[4 * (size_t)block + i] = (unsigned)state[4 * i] << 24 | state[4 * i + 1] << 16 | state[4 * i + 2] << 8 | state[4 * i + 3];
}
