/* The framing between aptune and its helper programs. */
#include "tuner/compile/wire.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

/* {"n": 7} with two blobs, one of them with a zero byte and a line's end inside. */
static const Blob BLOBS[] = {{"a\0b\nc", 5}, {"", 0}};

static Buf one_message(Diag *d)
{
    Buf b = {0};
    json_t *head = json_pack("{s:i}", "n", 7);
    assert_true(cwire_encode(&b, head, BLOBS, 2, d));
    json_decref(head);
    return b;
}

static void assert_is_the_message(CWireMessage *m)
{
    assert_int_equal(json_integer_value(json_object_get(m->head, "n")), 7);
    assert_int_equal(m->blob_count, 2);
    assert_int_equal(m->blob[0].size, 5);
    assert_memory_equal(m->blob[0].bytes, "a\0b\nc", 5);
    assert_int_equal(m->blob[1].size, 0);
    cwire_free(m);
}

static void a_message_is_whole_however_it_is_cut(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf b = one_message(&d);

    for (size_t cut = 0; cut <= b.size; cut++) {
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
        CWireReader r = {0};
        CWireMessage m = {0};
        assert_int_equal(write(pair[0], b.text, cut), cut);
        cwire_fill(&r, pair[1]);
        CWireStatus first = cwire_take(&r, &m, &d);
        assert_int_equal(first, cut == b.size ? CWIRE_MESSAGE : CWIRE_MORE);
        if (first == CWIRE_MORE) {
            assert_int_equal(write(pair[0], b.text + cut, b.size - cut), b.size - cut);
            cwire_fill(&r, pair[1]);
            assert_int_equal(cwire_take(&r, &m, &d), CWIRE_MESSAGE);
        }
        assert_is_the_message(&m);
        assert_int_equal(cwire_take(&r, &m, &d), CWIRE_MORE);
        cwire_reader_free(&r);
        close(pair[0]);
        close(pair[1]);
    }
    assert_int_equal(d.errors, 0);

    buf_free(&b);
    arena_free(a);
}

static void two_messages_in_one_read_are_two(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf b = one_message(&d);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);

    assert_int_equal(write(pair[0], b.text, b.size), b.size);
    assert_int_equal(write(pair[0], b.text, b.size), b.size);
    close(pair[0]);
    CWireReader r = {0};
    for (int i = 0; i < 2; i++) {
        CWireMessage m = {0};
        assert_int_equal(cwire_receive(&r, pair[1], &m, &d), CWIRE_MESSAGE);
        assert_is_the_message(&m);
    }
    CWireMessage m = {0};
    assert_int_equal(cwire_receive(&r, pair[1], &m, &d), CWIRE_END);

    cwire_reader_free(&r);
    close(pair[1]);
    buf_free(&b);
    arena_free(a);
}

/* What a reader makes of bytes followed by the end. */
static CWireStatus status_of(const char *bytes, size_t size, Diag *d)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(write(pair[0], bytes, size), size);
    close(pair[0]);
    CWireReader r = {0};
    CWireMessage m = {0};
    CWireStatus s = cwire_receive(&r, pair[1], &m, d);
    cwire_free(&m);
    cwire_reader_free(&r);
    close(pair[1]);
    return s;
}

static void what_is_no_message_is_quoted(void **state)
{
    (void)state;
    Arena *a = arena_new();
    static const char *const BAD[] = {
        "sh: cannot open shared object\n",
        "APT2 2\n{}",
        "APT1 2\n[]",
        "APT1 2\nxx",
        "APT1  2\n{}",
        "APT1 -2\n{}",
        "APT1 99999999999\n",
        "APT1 2 999999999\n{}",
        "APT1\n",
        "APT1 2 1 1 1 1 1 1 1 1 1\n{}",
        "APT1 2x\n{}",
    };

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        Diag d = diag_new(a);
        assert_int_equal(status_of(BAD[i], strlen(BAD[i]), &d), CWIRE_BAD);
        assert_int_equal(d.errors, 1);
        assert_non_null(strstr(d.messages.at[0].text, i == 0 ? "cannot open shared" : "message"));
    }

    arena_free(a);
}

static void an_end_inside_a_message_is_bad_and_between_two_is_not(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf b = one_message(&d);

    for (size_t size = 1; size < b.size; size++)
        assert_int_equal(status_of(b.text, size, &d), CWIRE_BAD);
    assert_int_equal(status_of(b.text, 0, &d), CWIRE_END);
    assert_int_equal(status_of(b.text, b.size, &d), CWIRE_MESSAGE);

    buf_free(&b);
    arena_free(a);
}

static void a_writer_goes_on_when_there_is_room(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    size_t size = 4u << 20; /* more than a socket holds */
    char *big = arena_alloc(a, size);
    memset(big, 'x', size);
    json_t *head = json_object();
    CWireWriter w = {0};

    assert_true(cwire_encode(&w.bytes, head, &(Blob){big, size}, 1, &d));
    CWireReader r = {0};
    CWireMessage m = {0};
    CWireStatus s = CWIRE_MORE;
    int rounds = 0;
    while (s == CWIRE_MORE) {
        assert_true(cwire_flush(&w, pair[0]));
        cwire_fill(&r, pair[1]);
        s = cwire_take(&r, &m, &d);
        rounds++;
    }

    assert_int_equal(s, CWIRE_MESSAGE);
    assert_true(rounds > 1);
    assert_false(cwire_pending(&w));
    assert_int_equal(m.blob[0].size, size);
    assert_memory_equal(m.blob[0].bytes, big, size);

    cwire_free(&m);
    json_decref(head);
    cwire_reader_free(&r);
    buf_free(&w.bytes);
    close(pair[0]);
    close(pair[1]);
    arena_free(a);
}

static void writing_to_one_who_is_gone_is_an_error_not_a_signal(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(pair[1]);
    json_t *head = json_object();

    assert_false(cwire_send(pair[0], head, NULL, 0, &d));
    assert_int_equal(d.errors, 1);

    json_decref(head);
    close(pair[0]);
    arena_free(a);
}

static void lists_of_texts_come_back(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const char *texts[] = {"-DA=1", "", "\xff not UTF-8"};
    Buf b = {0};
    const char **back;
    size_t count;

    cwire_pack_texts(&b, texts, 3);
    assert_true(cwire_unpack_texts(a, (Blob){b.text, b.size}, &back, &count));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(back[i], texts[i]);
    assert_false(cwire_unpack_texts(a, (Blob){b.text, b.size - 1}, &back, &count));
    assert_true(cwire_unpack_texts(a, (Blob){NULL, 0}, &back, &count));
    assert_int_equal(count, 0);

    buf_free(&b);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_whole_however_it_is_cut),
        cmocka_unit_test(two_messages_in_one_read_are_two),
        cmocka_unit_test(what_is_no_message_is_quoted),
        cmocka_unit_test(an_end_inside_a_message_is_bad_and_between_two_is_not),
        cmocka_unit_test(a_writer_goes_on_when_there_is_room),
        cmocka_unit_test(writing_to_one_who_is_gone_is_an_error_not_a_signal),
        cmocka_unit_test(lists_of_texts_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
