/* --- checked arithmetic ---
 *
 * On overflow and for undefined results each function clears `ok` and returns 0. */

static int unit_fail(int *ok)
{
    *ok = 0;
    return 0;
}

static long long unit_add(int *ok, long long a, long long b)
{
    const int fits = b > 0 ? a <= LLONG_MAX - b : a >= LLONG_MIN - b;
    return fits ? a + b : unit_fail(ok);
}

static long long unit_subtract(int *ok, long long a, long long b)
{
    const int fits = b < 0 ? a <= LLONG_MAX + b : a >= LLONG_MIN + b;
    return fits ? a - b : unit_fail(ok);
}

static long long unit_multiply(int *ok, long long a, long long b)
{
    const int fits = a > 0   ? b >= LLONG_MIN / a && b <= LLONG_MAX / a
                     : b > 0 ? a >= LLONG_MIN / b
                             : a == 0 || b >= LLONG_MAX / a;
    return fits ? a * b : unit_fail(ok);
}

/* The quotient, truncated. */
static long long unit_divide(int *ok, long long a, long long b)
{
    const int fits = b != 0 && !(a == LLONG_MIN && b == -1);
    return fits ? a / b : unit_fail(ok);
}

/* The quotient; fails if there is a remainder. */
static long long unit_exact(int *ok, long long a, long long b)
{
    const long long quotient = unit_divide(ok, a, b);
    if (*ok && quotient * b != a)
        *ok = 0;
    return quotient;
}

/* The quotient, rounded down. */
static long long unit_floor_div(int *ok, long long a, long long b)
{
    const long long quotient = unit_divide(ok, a, b);
    const int is_below = *ok && quotient * b != a && (a < 0) != (b < 0);
    return is_below ? quotient - 1 : quotient;
}

/* The quotient, rounded up. */
static long long unit_ceil_div(int *ok, long long a, long long b)
{
    const long long quotient = unit_divide(ok, a, b);
    const int is_above = *ok && quotient * b != a && (a < 0) == (b < 0);
    return is_above ? quotient + 1 : quotient;
}

/* The remainder of the quotient rounded down; it has the sign of b. */
static long long unit_modulo(int *ok, long long a, long long b)
{
    if (b == 0 || (a == LLONG_MIN && b == -1))
        return unit_fail(ok);
    const long long rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static long long unit_power(int *ok, long long base, long long exponent)
{
    long long result = 1;
    if (exponent < 0)
        *ok = 0;
    while (*ok && exponent > 0) {
        if (exponent % 2 != 0)
            result = unit_multiply(ok, result, base);
        exponent /= 2;
        if (exponent > 0)
            base = unit_multiply(ok, base, base);
    }
    return *ok ? result : 0;
}

static long long unit_min(long long a, long long b)
{
    return a < b ? a : b;
}

static long long unit_max(long long a, long long b)
{
    return a > b ? a : b;
}

static long long unit_abs(int *ok, long long a)
{
    if (a == LLONG_MIN)
        return unit_fail(ok);
    return a < 0 ? -a : a;
}

static int unit_is_pow2(long long a)
{
    return a > 0 && (a & (a - 1)) == 0;
}

/* True if a divides n; fails unless n is from 1 to 2^32. */
static int unit_is_divisor(int *ok, long long a, long long n)
{
    if (n < 1 || n > 4294967296LL)
        *ok = 0;
    return *ok && a > 0 && n % a == 0;
}

/* True if a is one of from, from + step, ... below `to`; fails for more than 65536. */
static int unit_in_range(
    int *ok, long long a, long long from, long long to, long long step)
{
    const double count = step != 0 ? ((double)to - (double)from) / (double)step : 0;
    if (step == 0 || count > 65536)
        *ok = 0;
    if (!*ok || (step > 0 ? a < from || a >= to : a > from || a <= to))
        return 0;
    const unsigned long long way = (unsigned long long)a - (unsigned long long)from;
    const unsigned long long length = (unsigned long long)step;
    return step > 0 ? way % length == 0 : (0 - way) % (0 - length) == 0;
}

/* True if a is a power of 2 from `from` to `to`. */
static int unit_in_pow2(long long a, long long from, long long to)
{
    return unit_is_pow2(a) && a >= from && a <= to;
}

/* The result; fails if it is NaN. */
static double unit_real(int *ok, double result)
{
    return result <= 0 || result >= 0 ? result : unit_fail(ok);
}

static double unit_real_divide(int *ok, double a, double b)
{
    return b < 0 || b > 0 ? unit_real(ok, a / b) : unit_fail(ok);
}

static double unit_real_floor_div(int *ok, double a, double b)
{
    return floor(unit_real_divide(ok, a, b));
}

static double unit_real_ceil_div(int *ok, double a, double b)
{
    return ceil(unit_real_divide(ok, a, b));
}

static double unit_real_modulo(int *ok, double a, double b)
{
    return unit_real(ok, a - b * floor(unit_real_divide(ok, a, b)));
}

static double unit_real_power(int *ok, double a, double b)
{
    return unit_real(ok, pow(a, b));
}

static double unit_real_min(double a, double b)
{
    return a < b ? a : b;
}

static double unit_real_max(double a, double b)
{
    return a > b ? a : b;
}

static double unit_sqrt(int *ok, double a)
{
    return a < 0 ? unit_fail(ok) : sqrt(a);
}

static double unit_log_of(int *ok, double a)
{
    return a <= 0 ? unit_fail(ok) : log(a);
}

static double unit_log2_of(int *ok, double a)
{
    return a <= 0 ? unit_fail(ok) : log2(a);
}

/* A number as an integer; fails if it is not one, or beyond 2^53. */
static long long unit_whole(int *ok, double a)
{
    const int fits =
        a >= -9007199254740992.0 && a <= 9007199254740992.0 && floor(a) >= a;
    return fits ? (long long)a : unit_fail(ok);
}
