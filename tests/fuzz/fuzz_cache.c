/* Any bytes as an entry of the compile cache: what is believed is what its sums say.  The input is
 * tried as a file, and as the message that a sound file holds. */
#include "tests/fuzz/folder.h"
#include "tuner/compile/result.h"

#include <stdint.h>
#include <string.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_entry(Arena *a, const Cache *c, const Hash *key, const void *bytes, size_t size)
{
    CompileResult r;
    fuzz_put(cache_path(c, a, key) + strlen(fuzz_folder()) + 1, bytes, size);
    result_recall(c, a, key, &r);
    result_recall_profile(c, a, key, 1, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Cache *c = cache_open(a, fuzz_folder(), false, &d);
    const Hash key = hash_bytes("fuzz", 4);
    if (!c)
        __builtin_trap();
    try_entry(a, c, &key, data, size);
    const size_t room = ZSTD_compressBound(size);
    char *packed = arena_array(a, room, 1);
    const size_t packed_size = ZSTD_compress(packed, room, data, size, 1);
    Hasher *h = hasher_new();
    hasher_string(h, key.text);
    hasher_add(h, packed, packed_size);
    const Hash sum = hasher_end(h);
    Buf sealed = {0};
    buf_printf(&sealed, "aptcach2 %s\n", sum.text);
    buf_add(&sealed, packed, packed_size);
    try_entry(a, c, &key, buf_text(&sealed), sealed.size);
    buf_free(&sealed);
    arena_free(a);
    return 0;
}
