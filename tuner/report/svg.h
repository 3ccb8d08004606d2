/* Building blocks of SVG and HTML: escaped text, short numbers, and the style sheet of pictures.
 *
 * Pictures are the bulk of a report, and coordinates the bulk of a picture: they are written with at most one
 * decimal and without printf. */
#pragma once

#include "metrics/base/buf.h"

/* Adds text for XML or HTML, also in attributes; characters that XML forbids or that do not show are
 * replaced. */
void svg_text(Buf *out, const char *text);

/* Adds a text with these placeholders:
 *
 *     %n     a coordinate in pixels, a double, with at most one decimal: 12.3, 12, -0.5
 *     %t %s  a text, escaped by svg_text; unescaped
 *     %c %%  a character, an int; a per cent sign */
void svg_say(Buf *out, const char *pattern, ...);

/* Adds the style sheet for the classes of pictures. */
void svg_style(Buf *out);
