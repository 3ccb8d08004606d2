#include "tests/support/made_table.h"

#include <string.h>

Table *made_table(Arena *a, size_t parameters, size_t values)
{
    Table *t = table_new(a);
    t->parameters = ARENA_ARRAY(a, TableParameter, parameters);
    t->parameter_count = parameters;
    for (size_t p = 0; p < parameters; p++) {
        Value *list = ARENA_ARRAY(a, Value, values);
        for (size_t k = 0; k < values; k++)
            list[k] = value_int((int64_t)k);
        t->parameters[p] =
            (TableParameter){arena_printf(a, "%c", (int)('X' + p)), VALUE_INT, {values, list}};
    }
    return t;
}

size_t made_row(Table *t, uint64_t number, const uint32_t *values)
{
    size_t row = table_add(t, number);
    memcpy(t->values + row * t->parameter_count, values, t->parameter_count * sizeof *values);
    return row;
}
