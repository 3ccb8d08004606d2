/* Numbers of host code: what is told, and what is not. */
#include "tuner/spec/host_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static int set_up(void **state)
{
    *state = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    arena_free(*state);
    return 0;
}

static const char *n_and_m_are_sizes(void *context, const char *written)
{
    return context != NULL             ? NULL
           : strcmp(written, "n") == 0 ? "N"
           : strcmp(written, "m") == 0 ? "M"
                                       : NULL;
}

/* The value of what stands behind "HERE(" in the text; "?": not known. */
static const char *value_here(Arena *a, const char *text)
{
    const HostText *h = host_text(a, "k.cu", text, NULL);
    const char *here = strstr(h->text, "HERE("), *open = here + strlen("HERE");
    const char *close = code_closing(open, h->text + h->size);
    const HostNames names = {NULL, n_and_m_are_sizes, 4};
    const HostValue *v = host_value((HostPlace){h, (size_t)(here - h->text)},
                                    arena_copy(a, open + 1, (size_t)(close - open - 1)), &names);
    Buf b = {0};
    bool ok = v && host_print(v, true, &b);
    const char *out = ok ? arena_string(a, buf_text(&b)) : "?";
    buf_free(&b);
    return out;
}

static void values_are_told(void **state)
{
    static const struct {
        const char *text, *value;
    } CASES[] = {
        {"void f() { HERE(2 + 3 * (1 << 4) - 10 / 3) }", "47"},
        {"void f() { HERE(n * sizeof(double) + 2 * sizeof(node)) }", "(N * 8) + 8"},
        {"void f() { HERE(n * sizeof *p) }", "N * 4"},
        {"void f() { HERE(sizeof a->b[3] * n + sizeof(double)) }", "(4 * N) + 8"},
        {"void f() { HERE(sizeof int2) }", "8"},
        {"void f() { HERE(n * sizeof) }", "?"},
        {"template <typename T> void f() { HERE(n * sizeof(T)) }\ntemplate void f<double>();",
         "N * 8"},
        {"template <class T> void f() { HERE(n * sizeof(T)) }\nvoid g() { f<node>(); f<short>(); }",
         "N * 2"},
        {"void f() { HERE(2 * part[i].n + part[i]->n) }", "?"},
        {"void f() { HERE((n + 255) / 256) }", "ceil_div(N, 256)"},
        {"void f() { int t = 128; HERE((t + n - 1) / t) }", "ceil_div(N, 128)"},
        {"void f() { HERE((n + m - 1) / m) }", "ceil_div(N, M)"},
        {"void f() { HERE((n + m - 2) / m) }", "((N + M) - 2) // M"},
        {"void f() { HERE((n + m) * 1 / m) }", "((N + M) * 1) // M"},
        {"void f() { HERE((n + 254) / 256) }", "(N + 254) // 256"},
        {"void f() { HERE((n - 2) / 64 + 1) }", "((N - 2) // 64) + 1"},
        {"void f() { HERE((n - 1) / 64 + 2) }", "((N - 1) // 64) + 2"},
        {"void f() { HERE((n + n - 1) / m) }", "((N + N) - 1) // M"},
        {"void f() { HERE((n + n * m - 1) / (n * m)) }", "ceil_div(N, N * M)"},
        {"void f() { HERE((n * 3 + n * m - 1) / (n * m)) }", "ceil_div(N * 3, N * M)"},
        {"void f() { HERE((n + n * m - 1) / (m * n)) }", "((N + (N * M)) - 1) // (M * N)"},
        {"void f() { HERE((n + n * m - 1) / (n + m)) }", "((N + (N * M)) - 1) // (N + M)"},
        {"void f() { HERE((n + n * 2 - 1) / (n * 3)) }", "((N + (N * 2)) - 1) // (N * 3)"},
        {"void f() { HERE((n - 1) / 64 + 1) }", "ceil_div(N, 64)"},
        {"void f() { HERE((int)ceil((float)n / 32)) }", "ceil_div(N, 32)"},
        {"void f() { HERE(static_cast<int>(std::ceil(n / 32.0))) }", "ceil_div(N, 32)"},
        {"void f() { HERE(iDivUp(n, 16)) }", "ceil_div(N, 16)"},
        {"#define UP(a, b) (((a) + (b)-1) / (b))\nvoid f() { HERE(UP(n, 8)) }", "ceil_div(N, 8)"},
        {"int up(int a, int b) { return a / b; }\nvoid f() { HERE(up(n, 8)) }", "N // 8"},
        {"void f() { HERE(std::min(n, 1024)) }", "min(N, 1024)"},
        {"#if X\n#define T y\n#else\n#define T 64\n#endif\nvoid f() { HERE(T * 2) }", "128"},
        {"const int A{3}; void g() { int B = 9; }\nvoid f() { HERE(A) }", "3"},
        {"void g() { int B = 9; }\nvoid f() { HERE(B) }", "?"},
        {"void f() { int w = 1; w = 2; HERE(w) w = 3; }", "2"},
        {"int main(int argc, char **v) { int w = argc > 1 ? atoi(v[1]) : 7; HERE(w) }", "7"},
        {"int main(int argc, char **v) { int w = 7; if (argc) w = atoi(v[1]); HERE(w) }", "7"},
        {"void f() { dim3 b(32, 4); HERE(b.x * b.y * b.z) }", "128"},
        {"void f() { HERE((n / 8) + (!(n % 8) ? 0 : 1)) }", "(N // 8) + (((N % 8) == 0) ? 0 : 1)"},
        {"void f(float *a, int w) { HERE(w) }\nint main() { f(p(), 12 * 2); }", "24"},
        {"void f (int w) { HERE(w) }\nint main() { f (12); }", "12"},
        {"void f(int (*g)(int), int w) { HERE(w) }\nint main() { f(h, 9); }", "9"},
        {"void f(int nw, int w) { HERE(w) }\nint main() { f(4, 12); }", "12"},
        {"void f(int wn, const int w [2]) { HERE(w) }\nint main() { f(4, 12); }", "12"},
        {"template <int V, int w> void f() { HERE(w) }\nint main() { f<8, 32>(); }", "32"},
        {"#define F(w) HERE(w)\nvoid f() { F(9); }", "9"},
        {"#define F(a, w) HERE(w) + F(8, 8)\nvoid f() { F(7, 9); }", "9"},
        {"void f() {\n#define F(w) HERE(w) + F(8)\nF(9); }", "9"},
        {"void f(int w) { f(8);\n#define F(x) HERE(w)\n}\nint main() { f(9); }", "9"},
        {"void f(int w);\nint main() { f(9); }\nvoid f(int w) { HERE(w) f(8); }", "9"},
        {"template <int V> void g() {}\ntemplate <int w> void f() { HERE(w) }\n"
         "void h() { f<32>(); }",
         "32"},
        {"template <int w> void f() { HERE(w) }\ntemplate void f<32>();", "32"},
        {"template <int w> void f() { HERE(w) }\nint main() { f(7), p = f<8>, f<9>(); }", "9"},
        {"template <int V> void f() { HERE(w) }\nint main() { f<8, 32>(); }", "?"},
        {"void f(int a) { HERE(w) }\nint main() { f(8, 9); }", "?"},
        {"void g(int w) {}\nstruct s { int k = HERE(w); };\nint main() { g(7); }", "?"},
        {"void f(int w)\n{ g(); int k = HERE(w); }\nint main() { f(7); }", "7"},
        {"void f(int n2) { HERE(n2) }\nint main() { int n = ask(); f(n); }", "?"},
        {"namespace a { void f() { HERE(4) } }", "4"},
        {"void f() { int a = b; int b = a; HERE(a) }", "?"},
        {"void f() { HERE(n <= 4 ? 1 : 2) }", "(N <= 4) ? 1 : 2"},
        {"void f() { HERE(n >= 8 && 3 < n ? n : 8) }", "((N >= 8) and (3 < N)) ? N : 8"},
        {"void f() { HERE(n > 1 << 3 ? 1 : 2) }", "(N > 8) ? 1 : 2"},
        {"void f() { HERE(n != 64 >> 2 ? 1 : 2) }", "(N != 16) ? 1 : 2"},
        {"void f() { HERE((7 < 3) + 2 * (3 < 7) + 4 * (3 < 3)) }", "2"},
        {"void f() { HERE((7 <= 3) + 2 * (3 <= 7) + 4 * (3 <= 3)) }", "6"},
        {"void f() { HERE((7 > 3) + 2 * (3 > 7) + 4 * (3 > 3)) }", "1"},
        {"void f() { HERE((7 >= 3) + 2 * (3 >= 7) + 4 * (3 >= 3)) }", "5"},
        {"void f() { HERE((7 == 3) + 2 * (3 == 3) + 4 * (7 != 3) + 8 * (3 != 3)) }", "6"},
        {"void f() { HERE((0 && 0) + 2 * (0 && 5) + 4 * (5 && 0) + 8 * (5 && 3)) }", "8"},
        {"void f() { HERE((0 || 0) + 2 * (0 || 5) + 4 * (5 || 0) + 8 * (5 || 3)) }", "14"},
        {"void f() { HERE(7 % 4 + 10 * (-7 / 2) + 100 * std::min(7, 4) + 1000 * std::max(7, 4)) }",
         "7373"},
        {"void f() { HERE(7 / 2.0 * 4) }", "14"},
        {"void f() { HERE((unsigned int)n / 2) }", "N // 2"},
        {"void f() { HERE((n) / 2) }", "N // 2"},
        {"void f() { HERE((int)(float)7 / 2 + (float)7 / 2 * 2) }", "10"},
        {"void f() { HERE(x[3]) }", "?"},
        {"void f() { HERE(1 % 0) }", "?"},
        {"void f() { HERE(1 / 0) }", "?"},
        {"void f() { HERE() }", "?"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(value_here(*state, CASES[i].text), CASES[i].value);
}

/* A project of two files, with the place in either. */
static void callers_are_found_in_other_files(void **state)
{
    static const char *const functions[] = {
        "void f(int w) { HERE(w) f(8); }",
        "#define f(w) HERE(w)",
        "template <int w> void f() { HERE(w) }",
    };
    static const char *const callers[] = {
        "int main() { f(9); }",
        "int k = f(9);",
        "int main() { f<9>(); }",
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int first = 0; first < 2; first++) {
            HostText *a = host_text(*state, "a.cu", first ? functions[i] : callers[i], NULL);
            HostText *b = host_text(*state, "b.cu", first ? callers[i] : functions[i], a);
            a->next = b;
            const HostText *h = first ? a : b;

            HostCallers c =
                host_callers((HostPlace){h, (size_t)(strstr(h->text, "HERE") - h->text)}, "w");

            assert_string_equal(host_next_caller(&c), "9");
            assert_null(host_next_caller(&c));
            assert_null(host_next_caller(&c));
            assert_ptr_equal(c.at.file, first ? b : a);
        }
}

/* Three components, with blanks between; "?": not known. */
static const char *dims_here(Arena *a, const char *text)
{
    const HostText *h = host_text(a, "k.cu", text, NULL);
    const HostValue *v[3];
    const char *here = strstr(h->text, "HERE");
    if (!host_dims((HostPlace){h, (size_t)(here - h->text)}, "d", NULL, v))
        return "?";
    Buf b = {0};
    for (int i = 0; i < 3; i++) {
        buf_puts(&b, i ? " " : "");
        host_print(v[i], true, &b);
    }
    return buf_keep(&b, a);
}

static void dimensions_are_told(void **state)
{
    static const struct {
        const char *text, *dims;
    } CASES[] = {
        {"void f() { dim3 d(32, 8); HERE }", "32 8 1"},
        {"void f() { dim3 c(1), d = dim3(4, 5, 6); HERE }", "4 5 6"},
        {"void f() { auto d = dim3{16, 2}; HERE }", "16 2 1"},
        {"void f() { int d = 96; HERE }", "96 1 1"},
        {"void f() { dim3 d; d.x = 3; d.y = 2 * 2; HERE }", "3 4 1"},
        {"void f() { dim3 e(7, 7); dim3 d = e; HERE }", "7 7 1"},
        {"void f(dim3 d) { HERE }\nvoid g() { f(dim3(2, 3)); }", "2 3 1"},
        {"void f() { dim3 d = ask(); HERE }", "?"},
        {"void f() { int n = 5; dim3 d(n); HERE }", "5 1 1"},
        {"void f() { dim3 n(5, 6), d(n); HERE }", "5 6 1"},
        {"void f() { int d = 12; HERE }", "12 1 1"},
        {"void f() { dim3 d(1, 2); d = dim3(8, 9); HERE }", "8 9 1"},
        {"void f() { dim3 d(32, 8, 4); d.y = 2; HERE }", "32 2 4"},
        {"void f() { dim3 d; d.z = 3; d.z = 5; HERE }", "1 1 5"},
        {"void f() { dim3 d; d.x = ask(); d.y = 1; HERE }", "?"},
        {"void f() { dim3 d; d.x = 64; if (ask()) d.x = ask(); HERE }", "64 1 1"},
        {"void f(int k, dim3 d) { HERE }\nvoid g() { f(7, dim3(2, 3)); }", "2 3 1"},
        {"void f(dim3 d) { HERE }\nvoid g() { f(ask()); f(dim3(6, 7, 8)); }", "6 7 8"},
        {"void f(dim3 d) { HERE }\nvoid g() { dim3 d(4, 4); f(d); }", "4 4 1"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(dims_here(*state, CASES[i].text), CASES[i].dims);
}

/* From every place, as by reading on from there. */
static void words_are_found_where_they_stand(void **state)
{
    static const char *const WORDS[] = {"a",  "ab", "x1",   "1",       "12",   "define",
                                        "_a", "aa", "s::a", "missing", "float"};
    const HostText *h = host_text(*state, "k.cu",
                                  "a ab a.a s.ab s::a _a(a)\n#define x1 12\n#define aa(a) a##a\n"
                                  "int x1=1,12x1; float a[12]; b.a = aa;a",
                                  NULL);
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        for (size_t from = 0; from <= h->size; from++)
            assert_ptr_equal(host_find_word(h, h->text + from, WORDS[i]),
                             code_find_word(h->text + from, WORDS[i], h->text));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(values_are_told), CASE(callers_are_found_in_other_files), CASE(dimensions_are_told),
        CASE(words_are_found_where_they_stand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
