#include "tuner/report/sheet.h"

#include "metrics/base/csv.h"
#include "metrics/base/json.h"
#include "tuner/report/plot.h"

#include <math.h>

void sheet_add(Arena *a, Sheet *s, const Cell *cells)
{
    Cell *row = ARENA_ARRAY(a, Cell, s->column_count);
    memcpy(row, cells, s->column_count * sizeof *row);
    VEC_PUSH(a, &s->rows, row);
}

enum { CELL_ROOM = 32 };

/* A cell's text: its own, or a number formatted in `room`. */
static const char *cell_text(const SheetColumn *c, const Cell *cell, char room[CELL_ROOM])
{
    if (c->kind == CELL_TEXT)
        return cell->text ? cell->text : "";
    if (isnan(cell->number))
        return "-";
    if (c->kind == CELL_PERCENT)
        snprintf(room, CELL_ROOM, "%.1f %%", 100 * cell->number);
    else
        snprintf(room, CELL_ROOM, c->kind == CELL_COUNT ? "%.0f" : "%.4g", cell->number);
    return room;
}

static size_t text_width(const char *text)
{
    return text_columns(text, strlen(text));
}

static void print_cell(Buf *out, const char *text, size_t width, bool left, bool last)
{
    size_t room = width - text_width(text);
    buf_fill(out, ' ', left ? 0 : room);
    buf_puts(out, text);
    buf_fill(out, ' ', left && !last ? room : 0);
    buf_puts(out, last ? "\n" : "  ");
}

void sheet_print(const Sheet *s, Buf *out)
{
    char room[CELL_ROOM];
    SCOPED_ARENA *a = arena_new();
    size_t *width = ARENA_ARRAY(a, size_t, s->column_count);
    for (size_t c = 0; c < s->column_count; c++) {
        width[c] = text_width(s->columns[c].title);
        for (size_t r = 0; r < s->rows.count; r++) {
            size_t w = text_width(cell_text(&s->columns[c], &s->rows.at[r][c], room));
            width[c] = w > width[c] ? w : width[c];
        }
    }
    buf_printf(out, "%s\n", s->title);
    for (size_t c = 0; c < s->column_count; c++)
        print_cell(out, s->columns[c].title, width[c], s->columns[c].kind == CELL_TEXT,
                   c + 1 == s->column_count);
    for (size_t r = 0; r < s->rows.count; r++)
        for (size_t c = 0; c < s->column_count; c++)
            print_cell(out, cell_text(&s->columns[c], &s->rows.at[r][c], room), width[c],
                       s->columns[c].kind == CELL_TEXT, c + 1 == s->column_count);
}

void sheet_print_csv(const Sheet *s, Buf *out)
{
    Csv csv = {.out = out};
    for (size_t c = 0; c < s->column_count; c++)
        csv_text(&csv, s->columns[c].key);
    csv_end_row(&csv);
    for (size_t r = 0; r < s->rows.count; r++) {
        for (size_t c = 0; c < s->column_count; c++)
            if (s->columns[c].kind == CELL_TEXT)
                csv_text(&csv, s->rows.at[r][c].text);
            else
                csv_number(&csv, s->rows.at[r][c].number, 17);
        csv_end_row(&csv);
    }
}

json_t *sheet_json(const Sheet *s)
{
    json_t *list = json_array();
    for (size_t r = 0; r < s->rows.count; r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < s->column_count; c++) {
            const Cell *x = &s->rows.at[r][c];
            const CellKind kind = s->columns[c].kind;
            json_object_set_new(row, s->columns[c].key,
                                kind == CELL_TEXT ? json_text(x->text ? x->text : "")
                                : kind == CELL_COUNT && isfinite(x->number)
                                    ? json_integer((json_int_t)x->number)
                                    : json_known(x->number));
        }
        json_array_append_new(list, row);
    }
    return list;
}

/* Tables with more rows get the class "long", which scrolls. */
enum { LONG_TABLE = 60 };

void sheet_print_html(const Sheet *s, Buf *out)
{
    char room[CELL_ROOM];
    svg_say(out, "<h3>%t</h3>\n<div class=\"wide%s\"><table><tr>", s->title,
            s->rows.count > LONG_TABLE ? " long" : "");
    for (size_t c = 0; c < s->column_count; c++)
        svg_say(out, "<th%s>%t</th>", s->columns[c].kind == CELL_TEXT ? "" : " class=\"n\"",
                s->columns[c].title);
    buf_puts(out, "</tr>\n");
    for (size_t r = 0; r < s->rows.count; r++) {
        buf_puts(out, "<tr>");
        for (size_t c = 0; c < s->column_count; c++)
            svg_say(out, "<td%s>%t</td>", s->columns[c].kind == CELL_TEXT ? "" : " class=\"n\"",
                    cell_text(&s->columns[c], &s->rows.at[r][c], room));
        buf_puts(out, "</tr>\n");
    }
    buf_puts(out, "</table></div>\n");
}
