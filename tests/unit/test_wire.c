/* Messages between the program and its helpers: whole ones, cut ones, and noise. */
#include "metrics/base/json_struct.h"
#include "metrics/base/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

/* A socket: a test writes to fd[0] and reads from fd[1]. */
typedef struct Fixture {
    Arena *arena;
    Diag diag;
    int fd[2];
    WireReader reader;
} Fixture;

static void open_socket(Fixture *f)
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, f->fd), 0);
    f->reader = wire_reader(f->fd[1]);
}

static void end_writing(Fixture *f)
{
    close(f->fd[0]);
    f->fd[0] = -1;
}

static void close_socket(Fixture *f)
{
    wire_reader_free(&f->reader);
    if (f->fd[0] >= 0)
        end_writing(f);
    if (f->fd[1] >= 0)
        close(f->fd[1]);
}

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    open_socket(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    close_socket(f);
    arena_free(f->arena);
    free(f);
    return 0;
}

static void write_bytes(Fixture *f, const char *bytes, size_t size)
{
    assert_int_equal(write(f->fd[0], bytes, size), (ssize_t)size);
}

/* --- the message of these tests: a real number, and a blob with a zero byte, a line's end and the
 * beginning of another message -------------------------------------------------------------- */

static const char BYTES[] = "a\0b\nAPT1 2\n{}";
static const Blob BLOB = {BYTES, sizeof BYTES};

static WireWriter one_message(Fixture *f)
{
    WireWriter w = wire_writer(f->fd[0]);
    json_t *header = json_pack("{s:f}", "third", 1.0 / 3);
    assert_true(wire_put(&w, header, BLOB, &f->diag));
    json_decref(header);
    return w;
}

static void assert_is_the_message(WireMessage *m)
{
    assert_true(json_number_value(json_object_get(m->header, "third")) == 1.0 / 3);
    assert_int_equal(m->blob.size, BLOB.size);
    assert_memory_equal(m->blob.bytes, BLOB.bytes, BLOB.size);
    wire_message_free(m);
}

/* --- reading ------------------------------------------------------------------------------- */

static void a_message_arrives_whole_when_it_comes_byte_by_byte(void **state)
{
    Fixture *f = *state;
    WireWriter w = one_message(f);
    WireMessage m;

    for (size_t i = 0; i + 1 < w.bytes.size; i++) {
        write_bytes(f, w.bytes.text + i, 1);
        assert_int_equal(wire_fill(&f->reader), WIRE_OK);
        assert_int_equal(wire_next(&f->reader, &m), WIRE_MORE);
    }
    write_bytes(f, w.bytes.text + w.bytes.size - 1, 1);
    assert_int_equal(wire_fill(&f->reader), WIRE_OK);
    assert_int_equal(wire_next(&f->reader, &m), WIRE_OK);

    assert_is_the_message(&m);
    assert_int_equal(wire_next(&f->reader, &m), WIRE_MORE);
    wire_writer_free(&w);
}

static void a_message_is_whole_however_it_is_cut_in_two(void **state)
{
    Fixture *f = *state;
    WireWriter w = one_message(f);
    WireMessage m;

    for (size_t cut = 1; cut < w.bytes.size; cut++) {
        write_bytes(f, w.bytes.text, cut);
        assert_int_equal(wire_receive(&f->reader, &m, 0), WIRE_MORE);
        write_bytes(f, w.bytes.text + cut, w.bytes.size - cut);
        assert_int_equal(wire_receive(&f->reader, &m, 0), WIRE_OK);
        assert_is_the_message(&m);
    }
    wire_writer_free(&w);
}

static void many_messages_in_one_read_come_out_one_by_one(void **state)
{
    Fixture *f = *state;
    for (int i = 0; i < 5; i++) {
        json_t *header = json_pack("{s:i}", "id", i);
        Blob blob = {"abc", (size_t)i % 3};
        assert_true(wire_send(f->fd[0], header, blob, &f->diag));
        json_decref(header);
    }
    end_writing(f);

    WireMessage m;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(wire_receive(&f->reader, &m, 1), WIRE_OK);
        assert_int_equal(json_integer_value(json_object_get(m.header, "id")), i);
        assert_int_equal(m.blob.size, i % 3);
        wire_message_free(&m);
    }
    assert_int_equal(wire_receive(&f->reader, &m, 1), WIRE_END);
}

/* The reader's memory is as large as what waits in it, not as what passed through it. */
static void messages_without_end_take_no_more_memory(void **state)
{
    Fixture *f = *state;
    WireWriter w = one_message(f);
    size_t capacity = 0;

    for (int i = 0; i < 5000; i++) {
        WireMessage m;
        write_bytes(f, w.bytes.text, w.bytes.size);
        assert_int_equal(wire_receive(&f->reader, &m, 0), WIRE_OK);
        assert_is_the_message(&m);
        if (i == 0)
            capacity = f->reader.bytes.capacity;
    }

    assert_true(5000 * w.bytes.size > capacity);
    assert_int_equal(f->reader.bytes.capacity, capacity);
    wire_writer_free(&w);
}

static void an_end_inside_a_message_is_told_from_one_between_two(void **state)
{
    Fixture *f = *state;
    WireWriter w = one_message(f);

    for (size_t cut = 0; cut < w.bytes.size; cut++) {
        Fixture other = {0};
        WireMessage m;
        open_socket(&other);
        write_bytes(&other, w.bytes.text, cut);
        end_writing(&other);
        assert_int_equal(wire_receive(&other.reader, &m, 1), cut ? WIRE_CUT : WIRE_END);
        assert_null(m.header);
        close_socket(&other);
    }
    wire_writer_free(&w);
}

/* More than the sizes of all blobs can have, and no end in sight. */
static const char LONG_LINE[] = "APT1 0000000000 0000000000 0000000000 0000000000 0000000000 "
                                "0000000000 0000000000 0000000000 0000000000 0000000000";

static void what_is_no_message_is_garbage_from_its_first_byte(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "hello from a kernel\n",
        "A\n",
        "APT2 2\n{}",
        "APT12 2\n{}",
        "APT1 2\n[]",
        "APT1 2\nxx",
        "APT1  2\n{}",
        "APT1 -2\n{}",
        "APT1 99999999999\n",
        "APT1 67108865\n",
        "APT1 2 1073741825\n{}",
        "APT1 2 1073741824 1\n{}",
        "APT1 2 99999999999\n{}",
        "APT1\n",
        "APT1 \n",
        "APT1 2 1 1 1 1 1 1 1 1 1\n{}",
        "APT1 2x\n{}",
        "APT1 14\n{\"a\":1,\"a\":2}\n",
        LONG_LINE,
    };

    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Fixture f = {0};
        WireMessage m;
        open_socket(&f);
        write_bytes(&f, BAD[i], strlen(BAD[i]));
        if (wire_receive(&f.reader, &m, 1) != WIRE_GARBAGE)
            fail_msg("'%s' is taken for a message", BAD[i]);
        assert_int_equal(wire_receive(&f.reader, &m, 1), WIRE_GARBAGE);
        assert_null(m.header);
        close_socket(&f);
    }
}

static void garbage_is_quoted_short_and_printable(void **state)
{
    Fixture *f = *state;
    WireMessage m;
    Buf quote = {0};
    char bytes[1000];
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "Segmentation\n\x1b\xff", 15);
    WireWriter w = one_message(f);
    assert_true(wire_flush(&w));

    write_bytes(f, bytes, sizeof bytes);
    assert_int_equal(wire_receive(&f->reader, &m, 1), WIRE_OK);
    assert_is_the_message(&m);
    assert_int_equal(wire_receive(&f->reader, &m, 1), WIRE_GARBAGE);
    wire_quote(&f->reader, &quote);

    assert_memory_equal(buf_text(&quote), "Segmentation ??xxx", 18);
    assert_int_equal(quote.size, 120);
    buf_free(&quote);
    wire_writer_free(&w);
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
            memcpy(bytes, "APT1 9 9\n", 9);
        Fixture f = {0};
        WireMessage m;
        open_socket(&f);
        write_bytes(&f, bytes, sizeof bytes);
        end_writing(&f);
        assert_int_not_equal(wire_receive(&f.reader, &m, 1), WIRE_OK);
        close_socket(&f);
    }
}

static void waiting_ends_with_the_time_limit(void **state)
{
    Fixture *f = *state;
    WireMessage m;

    assert_int_equal(wire_receive(&f->reader, &m, 0.01), WIRE_MORE);
    assert_int_equal(wire_receive(&f->reader, &m, 0), WIRE_MORE);
}

/* --- writing ------------------------------------------------------------------------------- */

enum { BIG = 4 << 20 }; /* bytes: more than a socket holds */

static char *put_big(Fixture *f, WireWriter *w)
{
    char *big = arena_alloc(f->arena, BIG);
    for (size_t i = 0; i < BIG; i++)
        big[i] = (char)(i * 7 % 251);
    json_t *header = json_object();
    assert_true(wire_put(w, header, (Blob){big, BIG}, &f->diag));
    json_decref(header);
    return big;
}

static void a_writer_goes_on_when_there_is_room(void **state)
{
    Fixture *f = *state;
    WireWriter w = wire_writer(f->fd[0]);
    WireMessage m;
    WireStatus s = WIRE_MORE;
    int rounds = 0;

    char *big = put_big(f, &w);
    assert_true(wire_pending(&w));
    while (s == WIRE_MORE) {
        assert_true(wire_flush(&w));
        s = wire_receive(&f->reader, &m, 0);
        rounds++;
    }

    assert_int_equal(s, WIRE_OK);
    assert_true(rounds > 1);
    assert_false(wire_pending(&w));
    assert_int_equal(m.blob.size, BIG);
    assert_memory_equal(m.blob.bytes, big, BIG);
    wire_message_free(&m);
    wire_writer_free(&w);
}

static void sending_to_one_who_does_not_read_ends_with_the_time_limit(void **state)
{
    Fixture *f = *state;
    WireWriter w = wire_writer(f->fd[0]);
    put_big(f, &w);

    assert_false(wire_flush_within(&w, 0.01));

    assert_true(wire_pending(&w));
    wire_writer_free(&w);
}

static void sending_to_one_who_is_gone_fails_and_raises_no_signal(void **state)
{
    Fixture *f = *state;
    json_t *header = json_object();
    WireWriter w = one_message(f);
    close(f->fd[1]);
    f->fd[1] = -1;

    assert_false(wire_send(f->fd[0], header, (Blob){0}, &f->diag));
    assert_int_equal(f->diag.errors, 1);
    assert_false(wire_flush(&w));
    assert_false(wire_flush_within(&w, 1));

    json_decref(header);
    wire_writer_free(&w);
}

static void what_cannot_be_a_message_is_refused_and_nothing_of_it_is_written(void **state)
{
    Fixture *f = *state;
    WireWriter w = wire_writer(f->fd[0]);
    json_t *object = json_object(), *array = json_array(), *large = json_object();
    char *text = arena_alloc(f->arena, WIRE_HEADER_LIMIT);
    memset(text, 'x', WIRE_HEADER_LIMIT - 1);
    text[WIRE_HEADER_LIMIT - 1] = '\0';
    json_object_set_new(large, "text", json_string(text));
    /* Sizes alone: the bytes are not looked at. */
    const Blob too_much = {"", (size_t)WIRE_BLOB_LIMIT + 1};

    assert_false(wire_put(&w, NULL, (Blob){0}, &f->diag));
    assert_false(wire_put(&w, array, (Blob){0}, &f->diag));
    assert_false(wire_put(&w, large, (Blob){0}, &f->diag));
    assert_false(wire_put(&w, object, too_much, &f->diag));

    assert_int_equal(f->diag.errors, 4);
    assert_false(wire_pending(&w));
    json_decref(object);
    json_decref(array);
    json_decref(large);
    wire_writer_free(&w);
}

/* --- texts of any bytes -------------------------------------------------------------------- */

typedef struct Raw {
    const char *one;
    Texts list;
} Raw;
JSON_TABLE(RAW, Raw, JSON_FIELD_RAW(Raw, one), JSON_FIELD_RAWS(Raw, list));

static void lists_of_texts_come_back(void **state)
{
    Fixture *f = *state;
    const char *texts[] = {"-DA=1", "", "\xff not UTF-8"};
    Buf b = {0}, none = {0};
    Raw back;
    json_t *j = json_of_struct(&RAW, &(Raw){NULL, {texts, 3, 0}}, &b);
    json_t *empty = json_of_struct(&RAW, &(Raw){"\x80", {0}}, &none);

    assert_true(json_read_struct(f->arena, &RAW, j, (Blob){b.text, b.size}, &back, &f->diag));
    assert_string_equal(back.one, "");
    assert_int_equal(back.list.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(back.list.at[i], texts[i]);
    assert_false(json_read_struct(f->arena, &RAW, j, (Blob){b.text, b.size - 1}, &back, &f->diag));
    b.text[b.size - 1] = 'x'; /* the last one has no end */
    assert_false(json_read_struct(f->arena, &RAW, j, (Blob){b.text, b.size}, &back, &f->diag));
    assert_true(
        json_read_struct(f->arena, &RAW, empty, (Blob){none.text, none.size}, &back, &f->diag));
    assert_int_equal(back.list.count, 0);
    assert_string_equal(back.one, "\x80");

    json_decref(j);
    json_decref(empty);
    buf_free(&b);
    buf_free(&none);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_message_arrives_whole_when_it_comes_byte_by_byte),
        CASE(a_message_is_whole_however_it_is_cut_in_two),
        CASE(many_messages_in_one_read_come_out_one_by_one),
        CASE(messages_without_end_take_no_more_memory),
        CASE(an_end_inside_a_message_is_told_from_one_between_two),
        CASE(what_is_no_message_is_garbage_from_its_first_byte),
        CASE(garbage_is_quoted_short_and_printable),
        CASE(random_bytes_never_make_a_message),
        CASE(waiting_ends_with_the_time_limit),
        CASE(a_writer_goes_on_when_there_is_room),
        CASE(sending_to_one_who_does_not_read_ends_with_the_time_limit),
        CASE(sending_to_one_who_is_gone_fails_and_raises_no_signal),
        CASE(what_cannot_be_a_message_is_refused_and_nothing_of_it_is_written),
        CASE(lists_of_texts_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
