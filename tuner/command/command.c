#include "tuner/command/command.h"

#include "tuner/library/where.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t terminal_width(int descriptor)
{
    enum { USUAL = 80, LEAST = 40 };
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    long wanted = columns ? strtol(columns, &end, 10) : -1;
    if (columns && end != columns && *end == '\0' && wanted >= 0)
        return wanted == 0 ? SIZE_MAX : wanted < LEAST ? LEAST : (size_t)wanted;
    struct winsize w = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
        return USUAL;
    return w.ws_col < LEAST ? LEAST : w.ws_col;
}

/* The column at which a wrapped line continues. */
static size_t hanging_indent(const char *line, size_t size, size_t width)
{
    size_t indent = strspn(line, " ");
    for (size_t i = indent; i + 2 < size && i < width / 3; i++)
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ')
            indent = text_columns(line, i + 2);
    return indent + (indent == strspn(line, " ") ? 2 : 0);
}

/* Bytes of the line's next piece: up to the last blank that fits, else up to the first. */
static size_t part_of(const char *line, size_t size, size_t room)
{
    const size_t start = strspn(line, " ");
    size_t last = 0, columns = 0;
    for (size_t i = 0; i < size; i++) {
        columns += ((unsigned char)line[i] & 0xC0) != 0x80;
        if (columns > room && last > 0)
            return last;
        if (line[i] == ' ' && i > start)
            last = i;
        if (columns > room && last > 0)
            return last;
    }
    return size;
}

static void wrap_line(const char *line, size_t size, size_t width, Buf *out)
{
    const size_t indent = hanging_indent(line, size, width);
    size_t room = width;
    while (text_columns(line, size) > room) {
        const size_t n = part_of(line, size, room);
        if (n == size)
            break;
        buf_add(out, line, n);
        const size_t blanks = strspn(line + n, " ");
        line += n + blanks;
        size -= n + blanks;
        if (size == 0)
            return;
        buf_putc(out, '\n');
        buf_fill(out, ' ', indent);
        room = width > indent ? width - indent : 1;
    }
    buf_add(out, line, size);
}

/* True for a line of carets and tildes that points into the line above. */
static bool is_marks(const char *line)
{
    const size_t n = strspn(line, " \t^~|");
    return (line[n] == '\n' || line[n] == '\0') && memchr(line, '^', n);
}

/* Adds the text with long lines broken at blanks.  Continuation lines are indented to where the line's text
 * begins: after the last two blanks in its first third.  A line that a line of '^' and '~' points into stays
 * whole. */
static void terminal_wrap(const char *text, size_t width, Buf *out)
{
    while (*text) {
        const size_t size = strcspn(text, "\n");
        const bool ends = text[size] == '\n';
        if (size <= width || (ends && is_marks(text + size + 1)))
            buf_add(out, text, size);
        else
            wrap_line(text, size, width, out);
        if (ends)
            buf_putc(out, '\n');
        text += size + ends;
    }
}

#define RED     "\033[1;31m"
#define MAGENTA "\033[1;35m"
#define CYAN    "\033[1;36m"
#define BOLD    "\033[1m"
#define PLAIN   "\033[m"

/* Adds a line with "error:", "warning:", "note:" or the label that begins a report's line in colour. */
static void colour_line(const char *line, size_t size, Buf *out)
{
    static const struct {
        const char *word, *colour;
    } words[] = {{"error:", RED}, {"warning:", MAGENTA}, {"note:", CYAN}};
    const char *at = NULL, *colour = BOLD;
    size_t length = strcspn(line, " \n");
    if (length > 0 && length < size && strncmp(line + length, "  ", 2) == 0)
        at = line;
    for (size_t i = COUNT_OF(words); i-- > 0;) {
        const char *found = memmem(line, size, words[i].word, strlen(words[i].word));
        if (found && found > line && found[-1] == ' ') {
            at = found;
            colour = words[i].colour;
            length = strlen(words[i].word);
        }
    }
    buf_add(out, line, (size_t)((at ? at : line) - line));
    if (at)
        buf_printf(out, "%s%.*s" PLAIN, colour, (int)length, at);
    at = at ? at + length : line;
    buf_add(out, at, size - (size_t)(at - line));
}

/* The text may hold names and messages from untrusted files: control characters are escaped. */
static bool put(const char *text, FILE *to, bool laid_out)
{
    SCOPED_BUF shown = {0}, wrapped = {0}, coloured = {0};
    const Buf *last = &shown;
    buf_shown(&shown, text, strlen(text), true);
    if (laid_out) {
        terminal_wrap(buf_text(&shown), terminal_width(fileno(to)), &wrapped);
        last = &wrapped;
    }
    /* Colours for a terminal, unless NO_COLOR is set (no-color.org) or TERM is "dumb". */
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    if (laid_out && isatty(fileno(to)) && !(no && *no) && kind && strcmp(kind, "dumb") != 0) {
        for (const char *line = buf_text(&wrapped), *end; *line; line = end + (*end == '\n')) {
            end = line + strcspn(line, "\n");
            colour_line(line, (size_t)(end - line), &coloured);
            buf_add(&coloured, "\n", *end == '\n');
        }
        last = &coloured;
    }
    errno = 0;
    return (fputs(buf_text(last), to) >= 0 && fflush(to) == 0) ||
           errno == EPIPE; /* a reader such as `| head` may close the pipe */
}

void command_tell(const char *text)
{
    put(text, stderr, true);
}

void command_flush_messages(Diag *d)
{
    SCOPED_BUF text = {0};
    diag_print(d, &text);
    command_tell(buf_text(&text));
    d->messages.count = 0;
}

static bool print(const char *text, bool laid_out)
{
    return put(text, stdout, laid_out) ||
           (fprintf(stderr, "aptune: cannot write to standard output: %s\n", strerror(errno)),
            false);
}

bool command_print_text(const char *text)
{
    return print(text, *text != '{' && *text != '[');
}

bool command_print_data(const char *text)
{
    return print(text, false);
}

MetricSet *command_metrics(Arena *a, Diag *d)
{
    size_t count;
    const char *const *files = where_metrics(a, NULL, &count);
    MetricSet *set = metricset_new(a);
    for (size_t i = 0; i < count; i++)
        if (!metricset_read_file(set, files[i], d))
            return NULL;
    return set;
}
