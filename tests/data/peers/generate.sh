# Prints a kernel that copies WIDTH elements a thread, the first argument.
echo "extern \"C\" __global__ void made(const float *in, float *out) {"
echo "  int first = (blockIdx.x * blockDim.x + threadIdx.x) * $1;"
for ((i = 0; i < $1; i++)); do echo "  out[first + $i] = in[first + $i];"; done
echo "#ifdef BUG"
echo "  if (first == 32 && $1 > 1) out[first] = 1;"
echo "#endif"
echo "}"
