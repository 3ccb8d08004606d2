#include "tuner/report/plot.h"

#include <math.h>
#include <string.h>

static const char *escape_of(char c)
{
    static const char marks[] = "<>&\"";
    static const char *const escapes[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    const char *at = memchr(marks, c, sizeof marks - 1);
    return at ? escapes[at - marks] : NULL;
}

/* Copies whole runs between escapes, since most of a report passes through here.  A character that does not
 * show as itself is forbidden in XML or changes the text direction. */
void svg_text(Buf *out, const char *text)
{
    const char *from = text, *end = text + strlen(text);
    while (text < end) {
        const char *escape = escape_of(*text);
        size_t size = *text == '\n' || *text == '\t' ? 1 : text_shown(text, (size_t)(end - text));
        if (escape || size == 0) {
            buf_add(out, from, (size_t)(text - from));
            buf_puts(out, escape ? escape : "\xef\xbf\xbd");
            from = text + 1;
        }
        text += size ? size : 1;
    }
    buf_add(out, from, (size_t)(text - from));
}

void svg_say(Buf *out, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    for (const char *p = pattern; *p; p++) {
        const size_t plain = strcspn(p, "%");
        buf_add(out, p, plain);
        p += plain;
        if (!*p)
            break;
        switch (*++p) {
        case 'n':
            buf_printf(out, "%.15g", round(10 * va_arg(args, double)) / 10 + 0.0);
            break;
        case 't':
            svg_text(out, va_arg(args, const char *));
            break;
        case 's':
            buf_puts(out, va_arg(args, const char *));
            break;
        case 'c':
            buf_putc(out, (char)va_arg(args, int));
            break;
        default:
            buf_putc(out, *p);
        }
    }
    va_end(args);
}

/* Colours are those of Okabe and Ito, safe for colour blindness, some darkened for white and some lightened
 * for dark backgrounds.  Shapes differ, too: dots, crosses, rings, dashes. */
static const char style_text[] =
    ".plot{font:12px system-ui,sans-serif;fill:#222}"
    ".plot .paper{fill:#fff}"
    ".plot .frame{fill:none;stroke:#888}.plot .grid{stroke:#888;stroke-opacity:.22;fill:none}"
    ".plot .all{color:#868c93}.plot .dropped{color:#b14f88}.plot .chosen{color:#0072b2}"
    ".plot .best{color:#d55e00}.plot .random{color:#a97100}.plot .front{color:#00805c}"
    ".plot .dots{fill:none;stroke:currentColor;stroke-width:4.4;stroke-linecap:round}"
    ".plot .chosen.dots{stroke-width:6}"
    ".plot .crosses{fill:none;stroke:currentColor;stroke-width:1.2}"
    ".plot .rings{fill:none;stroke:currentColor;stroke-width:2.2;pointer-events:all}"
    ".plot .bars{fill:currentColor;stroke:none}"
    ".plot .dashes,.plot .diamonds{fill:currentColor;stroke:#fff}"
    ".plot .line,.plot .dashed,.plot .dotted{fill:none;stroke:currentColor;stroke-width:2}"
    ".plot .dashed{stroke-dasharray:7 4}.plot .dotted{stroke-dasharray:2 3}"
    ".plot .steps{fill:none;stroke:currentColor;stroke-width:1}"
    ".plot .thin{fill:none;stroke:currentColor;stroke-width:1;stroke-opacity:.4}"
    ".plot .band{fill:currentColor;fill-opacity:.18;stroke:none}"
    ".plot .whiskers{fill:none;stroke:#222;stroke-width:1}"
    ".plot .line,.plot .dashed,.plot .steps,.plot .thin,.plot .band,.plot "
    ".whiskers{pointer-events:none}"
    "@media screen and (prefers-color-scheme:dark){.plot{fill:#ddd}.plot .paper{fill:#16181b}"
    ".plot .dashes,.plot .diamonds{stroke:#16181b}.plot .whiskers{stroke:#ddd}"
    ".plot .all{color:#7d848c}.plot .dropped{color:#d98cb8}.plot .chosen{color:#56b4e9}"
    ".plot .best{color:#ff8c3a}.plot .random{color:#e69f00}.plot .front{color:#2fc79a}}";

void svg_style(Buf *out)
{
    buf_add(out, style_text, sizeof style_text - 1);
}
