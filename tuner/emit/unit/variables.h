/* Copies to device variables before a launch.  In a variant that lacks a variable, its name
 * resolves to the enumerator, and nothing is copied. */
namespace unit_code
{
enum unit_missing {
    /*%% missing */
    table
    /*%% */
};

static inline int unit_copy_to(unit_missing, const void *, long long, cudaStream_t)
{
    return UNIT_OK;
}

template <class Variable>
static int unit_copy_to(
    const Variable &variable, const void *from, long long bytes, cudaStream_t stream)
{
    if (from == NULL || bytes != (long long)sizeof variable)
        return from == NULL ? UNIT_ARGUMENT : UNIT_SIZE;
    return unit_status_of(unit_result(cudaMemcpyToSymbolAsync(
        variable, from, sizeof variable, 0, cudaMemcpyDeviceToDevice, stream)));
}
} // namespace unit_code
