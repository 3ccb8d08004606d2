#include "tuner/report/plot.h"

#include "metrics/base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* --- the style sheet -------------------------------------------------------------------------- */

typedef struct Text {
    const char *at;
    size_t size;
} Text;

/* What a class looks like; values as in the style sheet. */
typedef struct Look {
    Text fill, stroke, color, dashes;
    double width, opacity;
    bool round;
} Look;

static bool text_is(Text t, const char *word)
{
    return strlen(word) == t.size && memcmp(t.at, word, t.size) == 0;
}

/* The next token between separators `parts`; empty at the end. */
static Text next_part(Text *rest, const char *parts)
{
    size_t skip = 0, n = 0;
    while (skip < rest->size && strchr(parts, rest->at[skip]))
        skip++;
    while (skip + n < rest->size && !strchr(parts, rest->at[skip + n]))
        n++;
    Text part = {rest->at + skip, n};
    *rest = (Text){part.at + n, rest->size - skip - n};
    return part;
}

/* True if all classes of a selector (".plot .chosen.dots") are among the element's. */
static bool does_hold(Text selector, Text classes)
{
    for (Text word; (word = next_part(&selector, ". ")).size > 0;) {
        bool any = false;
        for (Text rest = classes, class; !any && (class = next_part(&rest, " ")).size > 0;)
            any = class.size == word.size && memcmp(class.at, word.at, word.size) == 0;
        if (!any)
            return false;
    }
    return true;
}

static void declare(Look *look, Text name, Text value)
{
    if (text_is(name, "fill"))
        look->fill = value;
    else if (text_is(name, "stroke"))
        look->stroke = value;
    else if (text_is(name, "color"))
        look->color = value;
    else if (text_is(name, "stroke-dasharray"))
        look->dashes = value;
    else if (text_is(name, "stroke-width"))
        look->width = strtod(value.at, NULL);
    else if (text_is(name, "stroke-opacity") || text_is(name, "fill-opacity"))
        look->opacity = strtod(value.at, NULL);
    else if (text_is(name, "stroke-linecap"))
        look->round = true;
}

/* The look of an element with these classes; later rules override earlier ones.  The rules from the first '@'
 * on are for dark screens. */
static Look look_of(Text classes, Text style)
{
    Look look = {.stroke = {"none", 4}, .width = 1, .opacity = 1};
    for (Text head; (head = next_part(&style, "{}")).size > 0 && *head.at != '@';) {
        Text body = next_part(&style, "{}"), selector;
        bool holds = false;
        while ((selector = next_part(&head, ",")).size > 0)
            holds = holds || does_hold(selector, classes);
        for (Text line; holds && (line = next_part(&body, ";")).size > 0;) {
            Text name = next_part(&line, ":");
            declare(&look, name, next_part(&line, ":"));
        }
    }
    return look;
}

/* Sets a colour, "#0072b2" or "#888", by the operator `op`.  False: no colour. */
static bool write_colour(Buf *out, Text colour, Text current, const char *op)
{
    if (text_is(colour, "currentColor"))
        colour = current;
    if (colour.size == 0 || *colour.at != '#')
        return false;
    uint32_t digits = (uint32_t)strtoul(colour.at + 1, NULL, 16);
    bool is_short = colour.size == 4;
    for (int k = 2; k >= 0; k--) {
        uint32_t part = is_short ? (digits >> 4 * k & 15) * 17 : digits >> 8 * k & 255;
        buf_printf(out, "%.3f ", part / 255.0);
    }
    buf_printf(out, "%s\n", op);
    return true;
}

/* --- paths ------------------------------------------------------------------------------------ */

/* The current point, and the start of the subpath. */
typedef struct Pen {
    double x, y, from_x, from_y;
} Pen;

/* One command with its numbers; lower-case commands are relative to the pen. */
static void write_command(Buf *out, Pen *p, char letter, const double *n)
{
    bool relative = letter >= 'a';
    double x = relative ? p->x : 0, y = relative ? p->y : 0;
    switch (letter & ~0x20) {
    case 'Z':
        buf_puts(out, "h\n");
        p->x = p->from_x, p->y = p->from_y;
        return;
    case 'C':
        buf_printf(out, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", x + n[0], y + n[1], x + n[2], y + n[3],
                   x + n[4], y + n[5]);
        p->x = x + n[4], p->y = y + n[5];
        return;
    case 'H':
        p->x = x + n[0];
        break;
    case 'V':
        p->y = y + n[0];
        break;
    default:
        p->x = x + n[0], p->y = y + n[1];
    }
    bool moves = (letter | 0x20) == 'm';
    if (moves)
        p->from_x = p->x, p->from_y = p->y;
    buf_printf(out, "%.2f %.2f %c\n", p->x, p->y, moves ? 'm' : 'l');
}

static const char *skip_gap(const char *at)
{
    return at + strspn(at, " ,\t\n");
}

/* Translates the subset of path data that plots use; a letter applies to all numbers after it. */
static void write_path(Buf *out, Text d, const char *paint)
{
    static const char letters[] = "mlhvcz", takes[] = {2, 2, 1, 1, 6, 0};
    Pen pen = {0};
    char letter = 'M';
    for (const char *at = skip_gap(d.at), *end = d.at + d.size; at < end; at = skip_gap(at)) {
        if (strchr(letters, *at | 0x20))
            letter = *at++;
        else if ((letter | 0x20) == 'z')
            return; /* a number without a command */
        double n[6];
        for (int k = 0; k < takes[strchr(letters, letter | 0x20) - letters]; k++) {
            char *behind;
            at = skip_gap(at);
            n[k] = strtod(at, &behind);
            if (behind == at)
                return; /* malformed */
            at = behind;
        }
        write_command(out, &pen, letter, n);
        letter = letter == 'M' ? 'L' : letter == 'm' ? 'l' : letter;
    }
    buf_printf(out, "%s\n", paint);
}

/* --- text ------------------------------------------------------------------------------------- */

enum { FONT_SIZE = 12 };

/* Helvetica's widths in 1/1000 em, from the blank to '~'; other characters count as wide as 'n'. */
static const uint16_t widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

static double width_of(const Buf *latin)
{
    double sum = 0;
    for (size_t k = 0; k < latin->size; k++) {
        unsigned char c = (unsigned char)latin->text[k];
        sum += c >= ' ' && c <= '~' ? widths[c - ' '] : 556;
    }
    return sum * FONT_SIZE / 1000;
}

/* Converts XML text to Latin-1, which the standard fonts have; other characters become '?'. */
static void decode(Text xml, Buf *out)
{
    static const struct {
        const char *name, *c;
    } entities[] = {{"lt;", "<"}, {"gt;", ">"}, {"amp;", "&"}, {"quot;", "\""}};
    for (size_t k = 0; k < xml.size; k++) {
        unsigned char c = (unsigned char)xml.at[k];
        for (size_t e = 0; c == '&' && e < COUNT_OF(entities); e++)
            if (strncmp(xml.at + k + 1, entities[e].name, strlen(entities[e].name)) == 0) {
                c = (unsigned char)*entities[e].c;
                k += strlen(entities[e].name);
                break;
            }
        if (c < 0x80)
            buf_putc(out, (char)c);
        else if (c >= 0xc0) /* first byte of a sequence; Latin-1 has those up to U+00FF */
            buf_putc(out, (char)(c < 0xc4 ? c << 6 | (xml.at[k + 1] & 0x3f) : '?'));
    }
}

/* "(a\(b)" */
static void write_string(Buf *out, const Buf *latin)
{
    buf_putc(out, '(');
    for (size_t k = 0; k < latin->size; k++) {
        buf_puts(out, strchr("()\\", latin->text[k]) ? "\\" : "");
        buf_putc(out, latin->text[k]);
    }
    buf_putc(out, ')');
}

/* --- elements --------------------------------------------------------------------------------- */

/* The attribute `name`, given as ` name="`, of what is inside `<…>`. */
static Text attribute(Text tag, const char *name)
{
    const char *at = memmem(tag.at, tag.size, name, strlen(name));
    if (!at)
        return (Text){"", 0};
    at += strlen(name);
    return (Text){at, strcspn(at, "\"")};
}

static double number(Text tag, const char *name)
{
    return strtod(attribute(tag, name).at, NULL);
}

static void write_text(Buf *out, Text tag, Text content)
{
    SCOPED_BUF latin = {0};
    decode(content, &latin);
    double x = number(tag, " x=\""), y = number(tag, " y=\""), turn = 0;
    Text moved = attribute(tag, " transform=\"translate("),
         anchor = attribute(tag, " text-anchor=\"");
    if (moved.size > 0) {
        char *next;
        x = strtod(moved.at, &next);
        y = strtod(next, &next);
        const char *rotated = memmem(moved.at, moved.size, "rotate(", 7);
        turn = rotated ? strtod(rotated + 7, NULL) * acos(-1) / 180 : 0;
    }
    double width = width_of(&latin), room = number(tag, " textLength=\"");
    double squeeze = room > 0 && room < width ? room / width : 1;
    double back = text_is(anchor, "middle") ? 0.5 : text_is(anchor, "end") ? 1 : 0;
    double c = cos(turn), s = sin(turn), shift = back * squeeze * width;
    buf_printf(out, "BT /F %d Tf %.4f %.4f %.4f %.4f %.2f %.2f Tm ", FONT_SIZE, squeeze * c,
               squeeze * s, s, -c, x - shift * c, y - shift * s);
    write_string(out, &latin);
    buf_puts(out, " Tj ET\n");
}

/* Saves the graphics state and sets the look of the element's class.  Returns the operator that paints its
 * paths. */
static const char *open_look(Buf *out, Text tag, Text style)
{
    Text own = attribute(tag, " class=\"");
    SCOPED_BUF classes = {0};
    buf_printf(&classes, "plot %.*s", (int)own.size, own.at);
    const Look look = look_of((Text){classes.text, classes.size}, style);
    buf_puts(out, "q ");
    const bool fills = write_colour(out, look.fill, look.color, "rg");
    const bool strokes = write_colour(out, look.stroke, look.color, "RG");
    buf_printf(out, "%g w %d J [%.*s] 0 d /%s gs\n", look.width, look.round, (int)look.dashes.size,
               look.dashes.size ? look.dashes.at : "",
               look.opacity < 0.2   ? "Band"
               : look.opacity < 1.0 ? "Pale"
                                    : "Full");
    return fills && strokes ? "B" : fills ? "f" : strokes ? "S" : "n";
}

/* Writes an element; one without a class has the look of its group. */
static void write_element(Buf *out, Text tag, Text content, const char *group, Text style)
{
    Text rest = tag, name = next_part(&rest, " /");
    bool own = !group || attribute(tag, " class=\"").size > 0;
    const char *paint = own ? open_look(out, tag, style) : group;
    if (text_is(name, "path"))
        write_path(out, attribute(tag, " d=\""), paint);
    else if (text_is(name, "rect"))
        buf_printf(out, "%.2f %.2f %.2f %.2f re %s\n", number(tag, " x=\""), number(tag, " y=\""),
                   number(tag, " width=\""), number(tag, " height=\""), paint);
    else if (text_is(name, "text"))
        write_text(out, tag, content);
    buf_puts(out, own ? "Q\n" : "");
}

/* Translates all elements into page operators, except tooltips. */
static void write_page(Buf *out, const char *svg)
{
    SCOPED_BUF css = {0};
    svg_style(&css);
    Text style = {buf_text(&css), css.size};
    const char *group = NULL; /* the operator that paints the paths of the open group */
    buf_printf(out, "0.75 0 0 -0.75 0 %g cm\n", 0.75 * PLOT_HEIGHT);
    for (const char *at = strchr(svg, '<'); at; at = strchr(at, '<')) {
        Text tag = {at + 1, strcspn(at + 1, ">")};
        at += 1 + tag.size + 1;
        Text rest = tag, name = next_part(&rest, " /");
        if (text_is(name, "g") && *tag.at != '/')
            group = open_look(out, tag, style);
        else if (text_is(name, "g")) {
            buf_puts(out, "Q\n");
            group = NULL;
        } else if (*tag.at != '/')
            write_element(out, tag, (Text){at, strcspn(at, "<")}, group, style);
    }
}

/* --- the file --------------------------------------------------------------------------------- */

static void add_stream(Buf *out, const Buf *page)
{
    uLongf size = compressBound(page->size);
    Bytef *packed = memory_zeroed(size, 1);
    compress(packed, &size, (const Bytef *)page->text, page->size);
    buf_printf(out, "<</Length %lu/Filter/FlateDecode>>stream\n", size);
    buf_add(out, packed, size);
    buf_puts(out, "\nendstream");
    free(packed);
}

static const char resources[] =
    "<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>"
    "/ExtGState<</Full<</CA 1/ca 1>>/Pale<</CA .4/ca .4>>/Band<</CA .18/ca .18>>>>>>";

static void write_object(Buf *out, int number, const Buf *page, const Buf *title)
{
    buf_printf(out, "%d 0 obj ", number);
    if (number == 1)
        buf_puts(out, "<</Type/Catalog/Pages 2 0 R>>");
    else if (number == 2)
        buf_puts(out, "<</Type/Pages/Kids[3 0 R]/Count 1>>");
    else if (number == 3)
        buf_printf(out,
                   "<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Contents 4 0 R/Resources%s>>",
                   0.75 * PLOT_WIDTH, 0.75 * PLOT_HEIGHT, resources);
    else if (number == 4)
        add_stream(out, page);
    else {
        buf_puts(out, "<</Producer(aptune)/Title");
        write_string(out, title);
        buf_puts(out, ">>");
    }
    buf_puts(out, "\nendobj\n");
}

void pdf_write(const char *svg, const char *title, Buf *out)
{
    enum { OBJECTS = 5 };
    size_t places[OBJECTS];
    SCOPED_BUF page = {0}, latin = {0};
    write_page(&page, svg);
    decode((Text){title, strlen(title)}, &latin);
    buf_puts(out, "%PDF-1.4\n");
    for (int k = 0; k < OBJECTS; k++) {
        places[k] = out->size;
        write_object(out, k + 1, &page, &latin);
    }
    size_t index = out->size;
    buf_printf(out, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (int k = 0; k < OBJECTS; k++)
        buf_printf(out, "%010zu 00000 n \n", places[k]);
    buf_printf(out, "trailer<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%zu\n%%%%EOF\n",
               OBJECTS + 1, OBJECTS, index);
}

bool picture_save(const char *svg, const char *title, const char *path, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    SCOPED_BUF alone = {0}, pdf = {0};
    plot_write_alone(svg, &alone);
    pdf_write(svg, title, &pdf);
    return file_write(arena_printf(a, "%s.svg", path), buf_text(&alone), alone.size, d) &&
           file_write(arena_printf(a, "%s.pdf", path), buf_text(&pdf), pdf.size, d);
}
