/* A library that calls itself cuBLAS and lacks most of it. */
int cublasCreate_v2(void **h);

int cublasCreate_v2(void **h)
{
    *h = h;
    return 0;
}
