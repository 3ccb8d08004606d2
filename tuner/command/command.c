#include "tuner/command/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void command_print_messages(const Diag *d)
{
    Buf text = {0};
    diag_print(d, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
}

bool command_print(const Buf *text)
{
    if (fwrite(buf_text(text), 1, text->size, stdout) == text->size && fflush(stdout) == 0)
        return true;
    fprintf(stderr, "aptune: cannot write to standard output: %s\n", strerror(errno));
    return false;
}
