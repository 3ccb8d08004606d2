/* The stages of carvings as a table. */
#include "tuner/report/study_sheets.h"

#include <math.h>

static const SheetColumn columns[] = {
    {"space", "space", CELL_TEXT},         {"carving", "carving", CELL_TEXT},
    {"stage", "stage", CELL_COUNT},        {"before", "of", CELL_COUNT},
    {"left", "left", CELL_COUNT},          {"unknown", "unknown", CELL_COUNT},
    {"statement", "statement", CELL_TEXT},
};

static void add_row(Arena *a, Sheet *s, const char *space, const char *carving, const double *four,
                    const char *statement)
{
    Cell *r = sheet_row(a, s);
    *r++ = (Cell){.text = space};
    *r++ = (Cell){.text = carving};
    for (int k = 0; k < 4; k++)
        *r++ = (Cell){.number = four[k]};
    *r++ = (Cell){.text = statement};
}

/* Polish takes from what the stages have dropped, so it leaves more than there was before. */
static void add_choice(Arena *a, Sheet *s, const char *space, const StudyChoice *c)
{
    double left = NAN;
    for (size_t k = 0; k < c->stage_count; k++) {
        const StageReport *r = &c->stages[k].report;
        left = (double)r->after;
        add_row(a, s, space, c->name,
                (double[]){(double)k + 1, (double)r->before, left, (double)r->unknown},
                c->stages[k].text);
    }
    if (c->polished > 0)
        add_row(a, s, space, c->name,
                (double[]){(double)c->stage_count + 1, left, left + (double)c->polished, 0},
                arena_printf(a, "polish %zu", c->polished));
}

Sheet study_stage_sheet(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "stages",
               .title = "Stages of the carvings: configurations of distinct code before and after "
                        "each (unknown: dropped, because a value in the statement is not known)",
               .columns = columns,
               .column_count = sizeof columns / sizeof columns[0]};
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < studies[k].carving_count && studies[k].points->profiled > 0; i++)
            add_choice(a, &s, studies[k].points->name, studies[k].carvings[i].choice);
    return s;
}
