#include "tuner/command/command.h"

#include "metrics/base/clock.h"

#include <unistd.h>

ProgressBar progress_new(void)
{
    return (ProgressBar){.shown = isatty(STDERR_FILENO)};
}

void progress_step(void *context, const char *stage, size_t done, size_t all, const char *note)
{
    enum { WIDTH = 30 };
    ProgressBar *bar = context;
    if (!bar->shown || all == 0)
        return;
    double t = clock_seconds();
    if (!bar->stage || strcmp(bar->stage, stage) != 0) {
        bar->stage = stage;
        bar->started = t;
        bar->drawn = 0;
    }
    if (t - bar->drawn < 0.1 && done < all)
        return;
    bar->drawn = t;
    char line[WIDTH + 1];
    size_t filled = done * WIDTH / all;
    memset(line, '.', WIDTH);
    memset(line, '#', filled < WIDTH ? filled : WIDTH);
    line[WIDTH] = '\0';
    double seconds = t - bar->started;
    seconds *= done ? (double)(all - done) / (double)done : 1;
    SCOPED_BUF shown = {0};
    buf_shown(&shown, note ? note : "", note ? strnlen(note, 60) : 0, false);
    char text[256];
    int size = snprintf(text, sizeof text, "%-8s [%s] %zu/%zu  %d:%02d %s  %s", stage, line, done,
                        all, (int)(seconds / 60), (int)seconds % 60, done ? "left" : "so far",
                        buf_text(&shown));
    size_t columns = terminal_width(STDERR_FILENO); /* a wrapped line could not be overwritten */
    fprintf(stderr, "\r\033[K%.*s", (int)((size_t)size < columns ? size : (int)columns - 1), text);
    fflush(stderr);
}

void progress_end(ProgressBar *bar)
{
    if (bar->shown && bar->stage)
        fputs("\r\033[K", stderr);
    bar->stage = NULL;
}

Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d)
{
    Run r = run_begin(a, options, NULL, d);
    r.progress = (RunProgress){bar, progress_step};
    return r;
}
