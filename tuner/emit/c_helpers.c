/* The helpers of emitted expressions, as they are written out.
 *
 * Each takes the address of `ok`, which it clears when it fails, and gives 0 then.  '@' stands for
 * the unit's prefix. */
#include "tuner/emit/c_helpers.h"

#include "tuner/emit/c_expr.h"
#include "tuner/emit/c_text.h"

#define BIT(h) (1u << (h))

static const struct Helper {
    const char *name;
    unsigned needs; /* other helpers */
    bool math;      /* <math.h> */
    const char *text;
} HELPER[HELPERS] = {
    [HELP_ADD] = {"add", 0, false,
                  "static long long @add(int *ok, long long a, long long b)\n"
                  "{\n"
                  "    if (b > 0 ? a <= LLONG_MAX - b : a >= LLONG_MIN - b)\n"
                  "        return a + b;\n"
                  "    *ok = 0;\n"
                  "    return 0;\n"
                  "}\n"},
    [HELP_SUBTRACT] = {"subtract", 0, false,
                       "static long long @subtract(int *ok, long long a, long long b)\n"
                       "{\n"
                       "    if (b < 0 ? a <= LLONG_MAX + b : a >= LLONG_MIN + b)\n"
                       "        return a - b;\n"
                       "    *ok = 0;\n"
                       "    return 0;\n"
                       "}\n"},
    [HELP_MULTIPLY] = {"multiply", 0, false,
                       "static long long @multiply(int *ok, long long a, long long b)\n"
                       "{\n"
                       "    const int fits = a > 0   ? b >= LLONG_MIN / a && b <= LLONG_MAX / a\n"
                       "                     : b > 0 ? a >= LLONG_MIN / b\n"
                       "                             : a == 0 || b >= LLONG_MAX / a;\n"
                       "    if (fits)\n"
                       "        return a * b;\n"
                       "    *ok = 0;\n"
                       "    return 0;\n"
                       "}\n"},
    [HELP_DIVIDE] = {"divide", 0, false,
                     "/* The quotient without its fraction. */\n"
                     "static long long @divide(int *ok, long long a, long long b)\n"
                     "{\n"
                     "    if (b != 0 && !(a == LLONG_MIN && b == -1))\n"
                     "        return a / b;\n"
                     "    *ok = 0;\n"
                     "    return 0;\n"
                     "}\n"},
    [HELP_EXACT] = {"exact", BIT(HELP_DIVIDE), false,
                    "/* The quotient, where nothing may be left over. */\n"
                    "static long long @exact(int *ok, long long a, long long b)\n"
                    "{\n"
                    "    const long long quotient = @divide(ok, a, b);\n"
                    "    if (*ok && quotient * b != a)\n"
                    "        *ok = 0;\n"
                    "    return quotient;\n"
                    "}\n"},
    [HELP_FLOOR_DIV] =
        {"floor_div", BIT(HELP_DIVIDE), false,
         "/* The quotient rounded down. */\n"
         "static long long @floor_div(int *ok, long long a, long long b)\n"
         "{\n"
         "    const long long quotient = @divide(ok, a, b);\n"
         "    return *ok && quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : "
         "quotient;\n"
         "}\n"},
    [HELP_MODULO] = {"modulo", 0, false,
                     "/* What the quotient rounded down leaves, with the sign of b. */\n"
                     "static long long @modulo(int *ok, long long a, long long b)\n"
                     "{\n"
                     "    if (b == 0 || (a == LLONG_MIN && b == -1)) {\n"
                     "        *ok = 0;\n"
                     "        return 0;\n"
                     "    }\n"
                     "    const long long rest = a % b;\n"
                     "    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;\n"
                     "}\n"},
    [HELP_CEIL_DIV] = {"ceil_div", BIT(HELP_DIVIDE), false,
                       "/* The quotient rounded up. */\n"
                       "static long long @ceil_div(int *ok, long long a, long long b)\n"
                       "{\n"
                       "    const long long quotient = @divide(ok, a, b);\n"
                       "    return *ok && quotient * b != a && (a < 0) == (b < 0) ? quotient + 1 : "
                       "quotient;\n"
                       "}\n"},
    [HELP_POWER] = {"power", BIT(HELP_MULTIPLY), false,
                    "static long long @power(int *ok, long long base, long long exponent)\n"
                    "{\n"
                    "    long long result = 1;\n"
                    "    if (exponent < 0)\n"
                    "        *ok = 0;\n"
                    "    while (*ok && exponent > 0) {\n"
                    "        if (exponent % 2 != 0)\n"
                    "            result = @multiply(ok, result, base);\n"
                    "        exponent /= 2;\n"
                    "        if (exponent > 0)\n"
                    "            base = @multiply(ok, base, base);\n"
                    "    }\n"
                    "    return *ok ? result : 0;\n"
                    "}\n"},
    [HELP_MIN] = {"min", 0, false,
                  "static long long @min(long long a, long long b)\n"
                  "{\n"
                  "    return a < b ? a : b;\n"
                  "}\n"},
    [HELP_MAX] = {"max", 0, false,
                  "static long long @max(long long a, long long b)\n"
                  "{\n"
                  "    return a > b ? a : b;\n"
                  "}\n"},
    [HELP_ABS] = {"abs", 0, false,
                  "static long long @abs(int *ok, long long a)\n"
                  "{\n"
                  "    if (a == LLONG_MIN) {\n"
                  "        *ok = 0;\n"
                  "        return 0;\n"
                  "    }\n"
                  "    return a < 0 ? -a : a;\n"
                  "}\n"},
    [HELP_IS_POW2] = {"is_pow2", 0, false,
                      "static int @is_pow2(long long a)\n"
                      "{\n"
                      "    return a > 0 && (a & (a - 1)) == 0;\n"
                      "}\n"},
    [HELP_IS_DIVISOR] = {"is_divisor", 0, false,
                         "/* Is a one of the divisors of n, which is from 1 to 4294967296? */\n"
                         "static int @is_divisor(int *ok, long long a, long long n)\n"
                         "{\n"
                         "    if (n < 1 || n > 4294967296LL)\n"
                         "        *ok = 0;\n"
                         "    return *ok && a > 0 && n % a == 0;\n"
                         "}\n"},
    [HELP_IN_RANGE] =
        {"in_range", 0, false,
         "/* Is a one of from, from + step …, up to but without `to`?  At most 65536 of them. */\n"
         "static int @in_range(int *ok, long long a, long long from, long long to, long long "
         "step)\n"
         "{\n"
         "    const double count = step != 0 ? ((double)to - (double)from) / (double)step : 0;\n"
         "    if (step == 0 || count > 65536)\n"
         "        *ok = 0;\n"
         "    if (!*ok || (step > 0 ? a < from || a >= to : a > from || a <= to))\n"
         "        return 0;\n"
         "    const unsigned long long way = (unsigned long long)a - (unsigned long long)from;\n"
         "    const unsigned long long length = (unsigned long long)step;\n"
         "    return step > 0 ? way % length == 0 : (0 - way) % (0 - length) == 0;\n"
         "}\n"},
    [HELP_IN_POW2] = {"in_pow2", 0, false,
                      "/* Is a one of 1, 2, 4 … from `from` to `to`? */\n"
                      "static int @in_pow2(long long a, long long from, long long to)\n"
                      "{\n"
                      "    return a > 0 && (a & (a - 1)) == 0 && a >= from && a <= to;\n"
                      "}\n"},
    [HELP_REAL] = {"real", 0, false,
                   "/* A result that has to be a number. */\n"
                   "static double @real(int *ok, double result)\n"
                   "{\n"
                   "    if (!(result <= 0) && !(result >= 0)) {\n"
                   "        *ok = 0;\n"
                   "        return 0;\n"
                   "    }\n"
                   "    return result;\n"
                   "}\n"},
    [HELP_REAL_DIVIDE] = {"real_divide", BIT(HELP_REAL), false,
                          "static double @real_divide(int *ok, double a, double b)\n"
                          "{\n"
                          "    if (b <= 0 && b >= 0) {\n"
                          "        *ok = 0;\n"
                          "        return 0;\n"
                          "    }\n"
                          "    return @real(ok, a / b);\n"
                          "}\n"},
    [HELP_REAL_FLOOR_DIV] = {"real_floor_div", BIT(HELP_REAL_DIVIDE), true,
                             "static double @real_floor_div(int *ok, double a, double b)\n"
                             "{\n"
                             "    return floor(@real_divide(ok, a, b));\n"
                             "}\n"},
    [HELP_REAL_MODULO] = {"real_modulo", BIT(HELP_REAL_DIVIDE) | BIT(HELP_REAL), true,
                          "static double @real_modulo(int *ok, double a, double b)\n"
                          "{\n"
                          "    return @real(ok, a - b * floor(@real_divide(ok, a, b)));\n"
                          "}\n"},
    [HELP_REAL_POWER] = {"real_power", BIT(HELP_REAL), true,
                         "static double @real_power(int *ok, double a, double b)\n"
                         "{\n"
                         "    return @real(ok, pow(a, b));\n"
                         "}\n"},
    [HELP_REAL_CEIL_DIV] = {"real_ceil_div", BIT(HELP_REAL_DIVIDE), true,
                            "static double @real_ceil_div(int *ok, double a, double b)\n"
                            "{\n"
                            "    return ceil(@real_divide(ok, a, b));\n"
                            "}\n"},
    [HELP_REAL_MIN] = {"real_min", 0, false,
                       "static double @real_min(double a, double b)\n"
                       "{\n"
                       "    return a < b ? a : b;\n"
                       "}\n"},
    [HELP_REAL_MAX] = {"real_max", 0, false,
                       "static double @real_max(double a, double b)\n"
                       "{\n"
                       "    return a > b ? a : b;\n"
                       "}\n"},
    [HELP_SQRT] = {"sqrt", 0, true,
                   "static double @sqrt(int *ok, double a)\n"
                   "{\n"
                   "    if (a < 0) {\n"
                   "        *ok = 0;\n"
                   "        return 0;\n"
                   "    }\n"
                   "    return sqrt(a);\n"
                   "}\n"},
    [HELP_LOG2] = {"log2_of", 0, true,
                   "static double @log2_of(int *ok, double a)\n"
                   "{\n"
                   "    if (a <= 0) {\n"
                   "        *ok = 0;\n"
                   "        return 0;\n"
                   "    }\n"
                   "    return log2(a);\n"
                   "}\n"},
    [HELP_FLOOR] = {"floor", 0, true, ""},
    [HELP_CEIL] = {"ceil", 0, true, ""},
    [HELP_ABS_REAL] = {"fabs", 0, true, ""},
    [HELP_WHOLE] =
        {"whole", 0, true,
         "/* A number that has to be whole. */\n"
         "static long long @whole(int *ok, double a)\n"
         "{\n"
         "    if (!(a >= -9007199254740992.0 && a <= 9007199254740992.0) || floor(a) < a) "
         "{\n"
         "        *ok = 0;\n"
         "        return 0;\n"
         "    }\n"
         "    return (long long)a;\n"
         "}\n"},
};

const char *c_helper_name(CHelper h)
{
    return HELPER[h].name;
}

/* Those that the others need come first in the table, but for @divide and @real, which do. */
static unsigned with_needs(unsigned helpers)
{
    for (int round = 0; round < 3; round++)
        for (int h = 0; h < HELPERS; h++)
            if (helpers & BIT(h))
                helpers |= HELPER[h].needs;
    return helpers;
}

void c_helpers(unsigned helpers, const char *prefix, Buf *out)
{
    helpers = with_needs(helpers);
    for (int h = 0; h < HELPERS; h++) {
        if (!(helpers & BIT(h)) || !*HELPER[h].text)
            continue;
        text_fill(out, prefix, HELPER[h].text);
        buf_putc(out, '\n');
    }
}

bool c_helpers_need_math(unsigned helpers)
{
    helpers = with_needs(helpers);
    for (int h = 0; h < HELPERS; h++)
        if (helpers & BIT(h) && HELPER[h].math)
            return true;
    return false;
}
