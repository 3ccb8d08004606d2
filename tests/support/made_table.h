/* Tables that tests make up. */
#pragma once

#include "tuner/space/table.h"

/* Without rows; `parameters` of them with `values` whole numbers from 0 each, called X, Y, Z, … */
Table *made_table(Arena *a, size_t parameters, size_t values);

/* A row with these value numbers, one for each parameter; its number is `number`. */
size_t made_row(Table *t, uint64_t number, const uint32_t *values);
