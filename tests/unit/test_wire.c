/* Messages between the program and its helpers: whole ones, cut ones, and noise. */
#include "tuner/wire/process.h"
#include "tuner/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct Pair {
    int fd[2];
    WireReader reader; /* of fd[1] */
} Pair;

static Pair pair_open(void)
{
    Pair p;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p.fd), 0);
    p.reader = wire_reader(p.fd[1]);
    return p;
}

static void pair_close(Pair *p)
{
    wire_reader_free(&p->reader);
    if (p->fd[0] >= 0)
        close(p->fd[0]);
    close(p->fd[1]);
}

static void pair_end_writing(Pair *p)
{
    close(p->fd[0]);
    p->fd[0] = -1;
}

/* The bytes of one message as they stand on the wire; the caller frees them. */
static char *frame(const char *blob, size_t blob_size, size_t *size)
{
    Pair p = pair_open();
    json_t *header = json_pack("{s:s, s:i}", "do", "trial", "id", 7);
    assert_true(wire_send(p.fd[0], header, blob, blob_size));
    json_decref(header);
    pair_end_writing(&p);
    while (wire_fill(&p.reader) == WIRE_OK)
        ;
    *size = p.reader.end;
    char *bytes = malloc(*size);
    memcpy(bytes, p.reader.bytes, *size);
    pair_close(&p);
    return bytes;
}

static void a_message_arrives_whole_when_it_comes_byte_by_byte(void **state)
{
    (void)state;
    const char blob[] = "cubin\0aptw\0bytes";
    size_t size;
    char *bytes = frame(blob, sizeof blob, &size);
    Pair p = pair_open();
    WireMessage m;

    for (size_t i = 0; i + 1 < size; i++) {
        assert_int_equal(write(p.fd[0], bytes + i, 1), 1);
        assert_int_equal(wire_fill(&p.reader), WIRE_OK);
        assert_int_equal(wire_next(&p.reader, &m), WIRE_MORE);
    }
    assert_int_equal(write(p.fd[0], bytes + size - 1, 1), 1);
    assert_int_equal(wire_fill(&p.reader), WIRE_OK);
    assert_int_equal(wire_next(&p.reader, &m), WIRE_OK);

    assert_int_equal(json_integer_value(json_object_get(m.header, "id")), 7);
    assert_int_equal(m.blob_size, sizeof blob);
    assert_memory_equal(m.blob, blob, sizeof blob);
    wire_message_free(&m);
    pair_close(&p);
    free(bytes);
}

static void many_messages_in_one_read_come_out_one_by_one(void **state)
{
    (void)state;
    Pair p = pair_open();
    for (int i = 0; i < 5; i++) {
        json_t *header = json_pack("{s:i}", "id", i);
        assert_true(wire_send(p.fd[0], header, "abc", (size_t)i % 3));
        json_decref(header);
    }

    for (int i = 0; i < 5; i++) {
        WireMessage m;
        assert_int_equal(wire_receive(&p.reader, &m, 1), WIRE_OK);
        assert_int_equal(json_integer_value(json_object_get(m.header, "id")), i);
        assert_int_equal(m.blob_size, i % 3);
        wire_message_free(&m);
    }
    WireMessage none;
    assert_int_equal(wire_next(&p.reader, &none), WIRE_MORE);
    pair_close(&p);
}

static void a_stream_cut_at_any_byte_ends_without_a_message(void **state)
{
    (void)state;
    size_t size;
    char *bytes = frame("0123456789", 10, &size);

    for (size_t cut = 0; cut < size; cut++) {
        Pair p = pair_open();
        WireMessage m;
        assert_int_equal(write(p.fd[0], bytes, cut), (ssize_t)cut);
        pair_end_writing(&p);
        assert_int_equal(wire_receive(&p.reader, &m, 1), WIRE_END);
        assert_null(m.header);
        pair_close(&p);
    }
    free(bytes);
}

static void expect_garbage(const char *bytes, size_t size)
{
    Pair p = pair_open();
    WireMessage m;
    assert_int_equal(write(p.fd[0], bytes, size), (ssize_t)size);
    assert_int_equal(wire_receive(&p.reader, &m, 1), WIRE_GARBAGE);
    assert_int_equal(wire_receive(&p.reader, &m, 1), WIRE_GARBAGE);
    pair_close(&p);
}

static void noise_and_wrong_sizes_are_garbage(void **state)
{
    (void)state;
    size_t size;
    char *bytes = frame(NULL, 0, &size);
    char *changed = malloc(size);

    expect_garbage("hello from a kernel\n", 20);
    expect_garbage("a\n", 2);
    memcpy(changed, bytes, size);
    memset(changed + 4, 0xff, 4); /* header size */
    expect_garbage(changed, size);
    memcpy(changed, bytes, size);
    memset(changed + 8, 0xff, 8); /* blob size */
    expect_garbage(changed, size);
    memcpy(changed, bytes, size);
    changed[16] = '['; /* no object */
    expect_garbage(changed, size);

    free(changed);
    free(bytes);
}

static void random_bytes_never_make_a_message(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        char bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)rand();
        if (round % 2)
            memcpy(bytes, "aptw", 4);
        Pair p = pair_open();
        WireMessage m;
        assert_int_equal(write(p.fd[0], bytes, sizeof bytes), sizeof bytes);
        pair_end_writing(&p);
        assert_int_not_equal(wire_receive(&p.reader, &m, 1), WIRE_OK);
        pair_close(&p);
    }
}

static void waiting_ends_with_the_time_limit(void **state)
{
    (void)state;
    Pair p = pair_open();
    WireMessage m;

    assert_int_equal(wire_receive(&p.reader, &m, 0.01), WIRE_MORE);

    pair_close(&p);
}

static void sending_to_one_who_does_not_read_ends_with_the_time_limit(void **state)
{
    (void)state;
    Pair p = pair_open();
    size_t size = 16 << 20;
    char *blob = calloc(size, 1);
    json_t *header = json_object();

    assert_false(wire_send_within(p.fd[0], header, blob, size, 0.01));

    json_decref(header);
    free(blob);
    pair_close(&p);
}

static void sending_to_one_who_is_gone_fails_and_raises_no_signal(void **state)
{
    (void)state;
    Pair p = pair_open();
    json_t *header = json_object();
    close(p.fd[1]);

    assert_false(wire_send(p.fd[0], header, NULL, 0));

    json_decref(header);
    p.fd[1] = dup(0);
    pair_close(&p);
}

static void a_helper_that_does_not_exist_is_named(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Process p;

    assert_false(process_start(&p, "/nowhere/aptune-none", NULL, &d));

    assert_int_equal(d.errors, 1);
    assert_non_null(strstr(d.messages.at[0].text, "/nowhere/aptune-none"));
    assert_true(process_stop(&p, 1));
    arena_free(a);
}

static void a_helper_has_the_socket_and_no_other_descriptor_of_ours(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Process p, q;
    /* The shell counts its sockets: its own as 0 and, by exec, as 1, and none of the other helper.
     */
    const char *args[] = {"-c", "exec >&0 2>/dev/null; ls -l /proc/$$/fd | grep -c socket:", NULL};
    const char *other[] = {"60", NULL};
    assert_true(process_start(&q, "sleep", other, &d));

    assert_true(process_start(&p, "sh", args, &d));
    assert_true(process_wait(&p, 10));

    char text[64] = "";
    assert_true(read(p.fd, text, sizeof text - 1) > 0);
    assert_string_equal(text, "2\n");
    assert_true(process_stop(&p, 1));
    assert_true(process_stop(&q, 10));
    arena_free(a);
}

static void a_stuck_helper_is_killed_and_the_signal_is_named(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Process p;
    const char *args[] = {"60", NULL};
    assert_true(process_start(&p, "sleep", args, &d));
    assert_false(process_wait(&p, 0));

    assert_true(process_stop(&p, 10));

    Buf b = {0};
    process_describe(p.status, &b);
    assert_string_equal(buf_text(&b), "was killed by signal 9 (Killed)");
    assert_int_equal(p.pid, 0);
    assert_int_equal(p.fd, -1);
    buf_free(&b);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_whole_when_it_comes_byte_by_byte),
        cmocka_unit_test(many_messages_in_one_read_come_out_one_by_one),
        cmocka_unit_test(a_stream_cut_at_any_byte_ends_without_a_message),
        cmocka_unit_test(noise_and_wrong_sizes_are_garbage),
        cmocka_unit_test(random_bytes_never_make_a_message),
        cmocka_unit_test(waiting_ends_with_the_time_limit),
        cmocka_unit_test(sending_to_one_who_does_not_read_ends_with_the_time_limit),
        cmocka_unit_test(sending_to_one_who_is_gone_fails_and_raises_no_signal),
        cmocka_unit_test(a_helper_that_does_not_exist_is_named),
        cmocka_unit_test(a_helper_has_the_socket_and_no_other_descriptor_of_ours),
        cmocka_unit_test(a_stuck_helper_is_killed_and_the_signal_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
