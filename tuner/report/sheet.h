/* A table of results and its four formats: text, CSV, JSON, HTML.
 *
 * An unknown number is NaN: "-" in text and HTML, empty in CSV, null in JSON. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/base/vec.h"

#include <jansson.h>

typedef enum CellKind {
    CELL_TEXT,
    CELL_COUNT,   /* a whole number */
    CELL_NUMBER,  /* four digits in text, all of them in CSV and JSON */
    CELL_PERCENT, /* a share: 0.02 is shown as "2.0 %" and stored as 0.02 */
    CELL_MS       /* milliseconds */
} CellKind;

typedef struct SheetColumn {
    const char *key;   /* in CSV and JSON: "random_regret" */
    const char *title; /* in text and HTML: "random" */
    CellKind kind;
} SheetColumn;

typedef struct Cell {
    const char *text; /* CELL_TEXT */
    double number;    /* the others */
} Cell;

typedef struct Sheet {
    const char *name;  /* of its file: "carvings" */
    const char *title; /* the sentence above it */
    const SheetColumn *columns;
    size_t column_count;
    VEC(Cell *) rows; /* each with a cell per column */
} Sheet;

/* Adds a row with a cell for each column. */
void sheet_add(Arena *a, Sheet *s, const Cell *cells);

void sheet_print(const Sheet *s, Buf *out);
void sheet_print_csv(const Sheet *s, Buf *out);
void sheet_print_html(const Sheet *s, Buf *out);

/* A list of objects; the caller owns it. */
json_t *sheet_json(const Sheet *s);
