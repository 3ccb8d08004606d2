/* Link with -lcuda and -lpthread. */
#include <cuda.h>

static int unit_open_driver(void)
{
    return UNIT_OK;
}
