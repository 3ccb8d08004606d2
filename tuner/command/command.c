#include "tuner/command/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Names and messages in it may be a stranger's. */
static bool put_shown(const char *text, FILE *to)
{
    Buf shown = {0};
    buf_shown(&shown, text, strlen(text), true);
    bool ok = fputs(buf_text(&shown), to) >= 0 && fflush(to) == 0;
    buf_free(&shown);
    return ok;
}

void command_tell(const char *text)
{
    put_shown(text, stderr);
}

void command_flush_messages(Diag *d)
{
    Buf text = {0};
    diag_print(d, &text);
    command_tell(buf_text(&text));
    buf_free(&text);
    d->messages.count = 0;
}

bool command_print_text(const char *text)
{
    if (put_shown(text, stdout) || errno == EPIPE) /* `| head` has seen enough */
        return true;
    fprintf(stderr, "aptune: cannot write to standard output: %s\n", strerror(errno));
    return false;
}

bool command_finish(Buf *text)
{
    bool ok = command_print_text(buf_text(text));
    buf_free(text);
    return ok;
}
