/* Definitions of a source that yield to parameters. */
#include "tuner/compile/yield.h"

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

typedef struct Yielding {
    const char *text, *left; /* NULL: the same */
} Yielding;

/* Checks them with the parameters A and B. */
static void check(Arena *a, const Yielding *cases, size_t count)
{
    Texts names = {0};
    VEC_PUSH(a, &names, "A");
    VEC_PUSH(a, &names, "B");
    for (size_t i = 0; i < count; i++) {
        const char *left = definitions_yield(a, cases[i].text, &names);
        assert_string_equal(left, cases[i].left ? cases[i].left : cases[i].text);
        assert_int_equal(left == cases[i].text, !cases[i].left);
    }
}

static void macros(void **state)
{
    static const Yielding CASES[] = {
        {"#define A 1\nint a = A;", "           \nint a = A;"},
        {"  # define A 1 + \\\n 2\nint a;", "                  \n  \nint a;"},
        {"#ifndef A\n#define A 1\n#endif", NULL},
        {"#ifndef H\n#define H\n#define A 1\n#endif", "#ifndef H\n#define H\n           \n#endif"},
        {"#define A\n#define A(x) x\n#define AB 1", NULL},
    };
    check(*state, CASES, COUNT_OF(CASES));
}

static void constants(void **state)
{
    static const Yielding CASES[] = {
        {"const int A = 8;", "               ;"},
        {"int x;\nstatic constexpr\n  unsigned A = 8 /* of */;",
         "int x;\n                \n                         ;"},
        {"void f() { int const A = 4 * sizeof(float); g<A>(); }",
         "void f() {                                ; g<A>(); }"},
        {"class c { void f() { const int A = 4; } };",
         "class c { void f() {                ; } };"},
        {"namespace n { constexpr std::size_t A = max(4, 2); }",
         "namespace n {                                    ; }"},
        {"#define X 2\nconst int A = X;", "#define X 2\n               ;"},
        {"const int X = 2; const float A = X * 2.f;", "const int X = 2;                        ;"},
        {"constexpr int A = least<int, 4>(0), X = 1;",
         "constexpr int                       X = 1;"},
        {"constexpr int X = 1, A = X, B = 2, Y = 3;", "constexpr int X = 1              , Y = 3;"},
        {"const int A = 1, B = 2;", "                      ;"},
    };
    check(*state, CASES, COUNT_OF(CASES));
}

/* What differs from thread to thread, and what is no constant of the file or of a function. */
static void what_stays(void **state)
{
    static const Yielding CASES[] = {
        {"const int A = blockDim.x;", NULL},
        {"void f(int n) { const int A = n / 2; const float B = table[0]; }", NULL},
        {"int A = 8; A = 9;", NULL},
        {"const int *A = 0;", NULL},
        {"struct s { static const int A = 8; };", NULL},
        {"template <class T> union s { static constexpr int A = 8; };", NULL},
        {"template <const int A = 8> void f(const int B = 4);", NULL},
        {"// const int A = 8;\nconst char s[] = \"const int A = 8;\";", NULL},
        {"#define X const int A = 8;", NULL},
        {"for (const int A = 8;;) ;", NULL},
        {"const int AB = 8; const bool X = AB == A;", NULL},
    };
    check(*state, CASES, COUNT_OF(CASES));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(macros),
        CASE(constants),
        CASE(what_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
