#include "tuner/command/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void command_flush_messages(Diag *d)
{
    Buf text = {0};
    diag_print(d, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
    d->messages.count = 0;
}

bool command_print_text(const char *text)
{
    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
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
