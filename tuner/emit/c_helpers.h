/* The helpers that expressions in C may call, by number. */
#ifndef APTUNE_EMIT_C_HELPERS_H
#define APTUNE_EMIT_C_HELPERS_H

typedef enum CHelper {
    HELP_ADD,
    HELP_SUBTRACT,
    HELP_MULTIPLY,
    HELP_DIVIDE,
    HELP_EXACT,
    HELP_FLOOR_DIV,
    HELP_MODULO,
    HELP_CEIL_DIV,
    HELP_POWER,
    HELP_MIN,
    HELP_MAX,
    HELP_ABS,
    HELP_IS_POW2,
    HELP_IS_DIVISOR,
    HELP_IN_RANGE,
    HELP_IN_POW2,
    HELP_REAL,
    HELP_REAL_DIVIDE,
    HELP_REAL_FLOOR_DIV,
    HELP_REAL_MODULO,
    HELP_REAL_POWER,
    HELP_REAL_CEIL_DIV,
    HELP_REAL_MIN,
    HELP_REAL_MAX,
    HELP_SQRT,
    HELP_LOG2,
    HELP_FLOOR,
    HELP_CEIL,
    HELP_ABS_REAL,
    HELP_WHOLE,
    HELPERS
} CHelper;

/* The name behind the prefix: "exact". */
const char *c_helper_name(CHelper h);

#endif
