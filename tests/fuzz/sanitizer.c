/* How AddressSanitizer runs under libFuzzer: freed memory is kept long enough for one input, so
 * that the next finds it in the cache, and of who asked for memory a few callers are noted. */
#include "tests/fuzz/told.h"

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8:malloc_context_size=6";
}

void told(Buf *text)
{
    buf_free(text);
}

void told_messages(const Diag *d)
{
    Buf out = {0};
    diag_print(d, &out);
    buf_free(&out);
}
