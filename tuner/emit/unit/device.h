/* --- the device --------------------------------------------------------------- */

/* The properties of a device that decide which variants it can run. */
typedef struct unit_device {
    const char *name;
    int arch; /* 90 is compute capability 9.0 */
    long long shared_bytes; /* dynamic shared memory that a block may have */
} unit_device;

/* How a kernel is launched. */
typedef struct unit_shape {
    long long grid[3], block[3], shared;
    int cooperative; /* its blocks run at the same time */
} unit_shape;

#ifdef __cplusplus
static thread_local int unit_last_error;
#else
static _Thread_local int unit_last_error;
#endif

/* The status for a CUDA error.  Driver and runtime API use the same numbers. */
static int unit_status_of(int error)
{
    if (error == 0)
        return UNIT_OK;
    unit_last_error = error;
    return UNIT_CUDA;
}

/* True if an error means that the device or driver cannot run this code: invalid device
 * function, invalid image, no binary for GPU, invalid PTX, no JIT compiler, unsupported
 * PTX version, JIT compilation disabled, invalid source, not found. */
static int unit_is_about_code(int error)
{
    return error == 98 || error == 200 || error == 209 || error == 218 ||
           (error >= 221 && error <= 223) || error == 300 || error == 500;
}
