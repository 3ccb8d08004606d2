/* Cubins: what we read against what ptxas said when it made them. */
#include "metrics/base/file.h"
#include "metrics/cubin/cubin.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/golden.h"

static const Cubin *cubin_from(Arena *a, const char *file)
{
    Diag d = diag_new(a);
    size_t size = 0;
    const char *bytes = file_read(a, arena_printf(a, TEST_DATA "/cubin/%s", file), &size, &d);
    assert_non_null(bytes);
    const Cubin *c = cubin_read(a, bytes, size, &d);
    assert_non_null(c);
    return c;
}

static Hash hash_from(Arena *a, const char *file)
{
    const Cubin *c = cubin_from(a, file);
    assert_int_equal(c->kernel_count, 1);
    return cubin_code_hash(c, &c->kernels[0]);
}

/* The message that reading `bytes` gives. */
static const char *message_of(Arena *a, const void *bytes, size_t size)
{
    Diag d = diag_new(a);
    assert_null(cubin_read(a, bytes, size, &d));
    assert_int_equal(d.errors, 1);
    return d.messages.at[0].text;
}

static void usage_is_what_ptxas_says(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size = 0;
    const char *text = file_read(a, TEST_DATA "/cubin/usage.txt", &size, &d);
    assert_non_null(text);

    int rows = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n') + 1) {
        int arch, registers, shared, frame, stores, loads, barriers;
        char name[32];
        if (sscanf(line, "%d %31s %d %d %d %d %d %d", &arch, name, &registers, &shared, &frame,
                   &stores, &loads, &barriers) != 8)
            continue;
        const Cubin *c = cubin_from(a, arena_printf(a, "usage_sm_%d.cubin", arch));
        const CubinKernel *k = cubin_find(c, name);

        assert_int_equal(c->arch, arch);
        assert_int_equal(c->kernel_count, 6);
        assert_non_null(k);
        assert_int_equal(k->registers, registers);
        assert_int_equal(k->shared_bytes, shared);
        assert_int_equal(k->frame_bytes, frame);
        assert_int_equal(k->barriers, barriers);
        if (strcmp(name, "local") != 0) { /* accesses of a local array are no spills */
            assert_int_equal(k->local_store_bytes, stores);
            assert_int_equal(k->local_load_bytes, loads);
        }
        rows++;
    }
    assert_int_equal(rows, 18);
    arena_free(a);
}

static void local_array_is_read_and_written(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const CubinKernel *k = cubin_find(cubin_from(a, "usage_sm_90.cubin"), "local");

    assert_int_equal(k->frame_bytes, 40 * sizeof(int));
    assert_true(k->local_store_bytes >= 40 * (int)sizeof(int));
    assert_true(k->local_load_bytes >= 4);
    arena_free(a);
}

static void parameters_have_order_place_and_size(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const CubinParam expected[] = {{0, 0, 8}, {1, 8, 1}, {2, 10, 2}, {3, 16, 8}};

    for (int arch = 80; arch <= 100; arch += 10) {
        const Cubin *c = cubin_from(a, arena_printf(a, "usage_sm_%d.cubin", arch));
        const CubinKernel *k = cubin_find(c, "params");

        assert_int_equal(k->param_bytes, 24);
        assert_int_equal(k->param_count, 4);
        assert_memory_equal(k->params, expected, sizeof expected);
        /* Where parameters start in bank 0: 0x160 before sm_90, 0x210, 0x380 from sm_100 on. */
        assert_int_equal(k->constant_bytes, (arch == 80 ? 0x160 : arch == 90 ? 0x210 : 0x380) + 24);
    }
    arena_free(a);
}

static void large_parameter_is_read_from_its_own_record(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const CubinParam expected[] = {{0, 0, 8}, {1, 8, 6000}, {2, 6008, 4}};

    const CubinKernel *k = cubin_find(cubin_from(a, "usage_sm_100.cubin"), "wide");

    assert_int_equal(k->param_bytes, 6012);
    assert_int_equal(k->param_count, 3);
    assert_memory_equal(k->params, expected, sizeof expected);
    arena_free(a);
}

static void launch_bounds_are_read(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Cubin *c = cubin_from(a, "usage_sm_90.cubin");

    assert_int_equal(cubin_find(c, "params")->max_threads, 128);
    assert_int_equal(cubin_find(c, "spill")->max_threads, 1024);
    assert_int_equal(cubin_find(c, "spill")->register_limit, 32);
    assert_int_equal(cubin_find(c, "tile")->max_threads, 0);
    assert_int_equal(cubin_find(c, "tile")->register_limit, 255);
    assert_int_equal(c->constant_bytes, 16);
    assert_int_equal(c->global_bytes, 4);
    assert_null(cubin_find(c, "til"));
    arena_free(a);
}

static void same_code_has_the_same_hash(void **state)
{
    (void)state;
    Arena *a = arena_new();

    Hash base = hash_from(a, "hash_base.cubin");
    Hash other_file = hash_from(a, "hash_other_file.cubin");
    Hash renamed = hash_from(a, "hash_renamed.cubin");
    Hash capped = hash_from(a, "hash_register_cap.cubin");

    assert_string_equal(base.text, other_file.text);
    assert_string_equal(base.text, renamed.text);
    assert_string_equal(base.text, capped.text);
    arena_free(a);
}

/* What a launch takes besides the code is part of it. */
static void resources_are_part_of_the_hash(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size;
    const char *bytes = file_read(a, TEST_DATA "/cubin/hash_base.cubin", &size, &d);
    const Cubin *c = cubin_read(a, bytes, size, &d);
    const Hash base = cubin_code_hash(c, &c->kernels[0]);
    CubinKernel more[3] = {c->kernels[0], c->kernels[0], c->kernels[0]};
    more[0].registers++;
    more[1].frame_bytes += 8;
    more[2].stack_bytes += 8;
    for (int i = 0; i < 3; i++) {
        const Hash other = cubin_code_hash(c, &more[i]);
        assert_string_not_equal(other.text, base.text);
    }
    arena_free(a);
}

static void different_code_data_or_target_has_another_hash(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const char *files[] = {"hash_base.cubin", "hash_factor.cubin", "hash_table.cubin",
                           "hash_sm_80.cubin"};

    Hash hashes[4];
    for (size_t i = 0; i < 4; i++)
        hashes[i] = hash_from(a, files[i]);

    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < i; j++)
            assert_false(hash_equal(&hashes[i], &hashes[j]));
    arena_free(a);
}

static void kernels_of_one_module_have_different_hashes(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Cubin *c = cubin_from(a, "usage_sm_90.cubin");

    for (size_t i = 0; i < c->kernel_count; i++)
        for (size_t j = 0; j < i; j++) {
            Hash left = cubin_code_hash(c, &c->kernels[i]);
            Hash right = cubin_code_hash(c, &c->kernels[j]);
            assert_false(hash_equal(&left, &right));
        }
    arena_free(a);
}

static void the_code_of_a_kernel_is_in_its_hash_alone(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size = 0;
    const char *file = file_read(a, TEST_DATA "/cubin/usage_sm_90.cubin", &size, &d);
    const Cubin *before = cubin_read(a, file, size, &d);
    assert_true(before->kernel_count > 2);

    for (size_t i = 0; i < before->kernel_count; i++) {
        char *bytes = arena_copy(a, file, size);
        const char *code = (const char *)before->kernels[i].code;
        assert_true(code > file && code < file + size);
        bytes[code - file + 4] ^= 1;
        const Cubin *c = cubin_read(a, bytes, size, &d);
        for (size_t k = 0; k < c->kernel_count; k++) {
            const Hash old = cubin_code_hash(before, &before->kernels[k]);
            const Hash new = cubin_code_hash(c, &c->kernels[k]);
            assert_int_equal(hash_equal(&old, &new), k != i);
        }
    }
    arena_free(a);
}

static void what_is_no_cubin_is_refused_with_a_reason(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size = 0;
    const char *file = file_read(a, TEST_DATA "/cubin/hash_base.cubin", &size, &d);
    char *bytes = arena_copy(a, file, size);

    assert_string_equal(message_of(a, "", 0), "cubin: not an ELF file");
    assert_string_equal(message_of(a, bytes, 63), "cubin: not an ELF file");
    bytes[18] = 62;
    assert_string_equal(message_of(a, bytes, size), "cubin: an ELF file, but not for CUDA");
    bytes[18] = (char)190;
    bytes[7] = 0x33;
    assert_string_equal(message_of(a, bytes, size),
                        "cubin: made by a compiler older or newer than CUDA 13 (ABI 0x33)");
    bytes[7] = 0x41;
    assert_non_null(cubin_read(a, bytes, size, &d));
    arena_free(a);
}

/* A record that promises more than its section holds. */
static void damaged_records_are_refused(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size = 0;
    const char *file = file_read(a, TEST_DATA "/cubin/hash_base.cubin", &size, &d);
    char *bytes = arena_copy(a, file, size);
    char *first = memmem(bytes, size, "\x04\x37\x04\x00", 4); /* of .nv.info.scale */
    assert_non_null(first);

    first[0] = 4; /* a record of so many bytes as its value says */
    first[2] = (char)0xff;
    first[3] = 1;

    assert_string_equal(message_of(a, bytes, size),
                        "cubin: the records of kernel 'scale' are damaged");
    arena_free(a);
}

/* What comes of a file with one byte changed. */
static void print_outcome(Arena *a, const char *bytes, size_t size, Buf *out)
{
    Diag d = diag_new(a);
    const Cubin *c = cubin_read(a, bytes, size, &d);
    if (!c) {
        buf_puts(out, d.messages.at[0].text);
        return;
    }
    buf_printf(out, "sm_%d, %zu kernels", c->arch, c->kernel_count);
    for (size_t k = 0; k < c->kernel_count; k++) {
        const CubinKernel *x = &c->kernels[k];
        buf_puts(out, ", ");
        buf_shown(out, x->name, strlen(x->name), false);
        buf_printf(out, ": %d registers, %lld bytes shared, %lld of a frame, %d barriers",
                   x->registers, (long long)x->shared_bytes, (long long)x->frame_bytes,
                   x->barriers);
    }
}

/* Every byte in turn, as the test above holds that all of the code count: what is said, or what is
 * read then.  Lines are of bytes next to each other with the same outcome. */
static void every_byte_counts_as_it_did(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    size_t size = 0;
    const char *file = file_read(a, TEST_DATA "/cubin/hash_base.cubin", &size, &d);
    char *bytes = arena_copy(a, file, size);
    static const unsigned char changes[] = {0x01, 0xff};
    for (size_t k = 0; k < sizeof changes; k++) {
        Buf now = {0}, before = {0};
        size_t from = 0;
        buf_printf(&out, "exclusive or %02x\n", changes[k]);
        for (size_t at = 0; at <= size; at++) {
            buf_clear(&now);
            if (at < size) {
                bytes[at] = (char)(bytes[at] ^ changes[k]);
                Arena *one = arena_new();
                print_outcome(one, bytes, size, &now);
                arena_free(one);
                bytes[at] = (char)(bytes[at] ^ changes[k]);
            }
            if (strcmp(buf_text(&now), buf_text(&before)) == 0)
                continue;
            if (before.size > 0)
                buf_printf(&out, "%zu to %zu: %s\n", from, at - 1, buf_text(&before));
            from = at;
            buf_clear(&before);
            buf_puts(&before, buf_text(&now));
        }
        buf_free(&now);
        buf_free(&before);
    }
    golden_compare("cubin_bytes", &out);
    buf_free(&out);
    arena_free(a);
}

/* The file's end holds the section table: without its last byte, nothing is trusted. */
static void every_cut_is_noticed_or_harmless(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size = 0;
    const char *file = file_read(a, TEST_DATA "/cubin/hash_base.cubin", &size, &d);

    for (size_t cut = 0; cut < size; cut += 7) {
        char *part = malloc(cut + 1); /* exact, so that the sanitizer sees an overrun */
        memcpy(part, file, cut);
        Diag quiet = diag_new(a);
        const Cubin *c = cubin_read(a, part, cut, &quiet);
        assert_true(c || quiet.errors == 1);
        free(part);
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_is_what_ptxas_says),
        cmocka_unit_test(local_array_is_read_and_written),
        cmocka_unit_test(parameters_have_order_place_and_size),
        cmocka_unit_test(large_parameter_is_read_from_its_own_record),
        cmocka_unit_test(launch_bounds_are_read),
        cmocka_unit_test(same_code_has_the_same_hash),
        cmocka_unit_test(resources_are_part_of_the_hash),
        cmocka_unit_test(different_code_data_or_target_has_another_hash),
        cmocka_unit_test(kernels_of_one_module_have_different_hashes),
        cmocka_unit_test(the_code_of_a_kernel_is_in_its_hash_alone),
        cmocka_unit_test(what_is_no_cubin_is_refused_with_a_reason),
        cmocka_unit_test(damaged_records_are_refused),
        cmocka_unit_test(every_byte_counts_as_it_did),
        cmocka_unit_test(every_cut_is_noticed_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
