#include "tuner/command/command.h"

#include "tuner/command/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Names and messages in it may be a stranger's. */
static bool put(const char *text, FILE *to, bool laid_out)
{
    Buf shown = {0}, wrapped = {0}, coloured = {0};
    const Buf *last = &shown;
    buf_shown(&shown, text, strlen(text), true);
    if (laid_out) {
        terminal_wrap(buf_text(&shown), terminal_width(fileno(to)), &wrapped);
        last = &wrapped;
    }
    if (laid_out && terminal_has_colours(fileno(to))) {
        terminal_colour(buf_text(&wrapped), &coloured);
        last = &coloured;
    }
    errno = 0;
    bool ok = (fputs(buf_text(last), to) >= 0 && fflush(to) == 0) || errno == EPIPE;
    const int error = errno;
    buf_free(&shown);
    buf_free(&wrapped);
    buf_free(&coloured);
    errno = error;
    return ok; /* `| head` has seen enough */
}

void command_tell(const char *text)
{
    put(text, stderr, true);
}

void command_flush_messages(Diag *d)
{
    Buf text = {0};
    diag_print(d, &text);
    command_tell(buf_text(&text));
    buf_free(&text);
    d->messages.count = 0;
}

static bool print(const char *text, bool laid_out)
{
    if (put(text, stdout, laid_out))
        return true;
    fprintf(stderr, "aptune: cannot write to standard output: %s\n", strerror(errno));
    return false;
}

bool command_print_text(const char *text)
{
    return print(text, *text != '{' && *text != '[');
}

bool command_print_data(const char *text)
{
    return print(text, false);
}

bool command_finish(Buf *text)
{
    bool ok = command_print_text(buf_text(text));
    buf_free(text);
    return ok;
}
