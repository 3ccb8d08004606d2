/* The alphabet of pictures: escaped text, short numbers, and the style that gives classes their
 * colours.
 *
 * Pictures are the bulk of a report, and most of a picture is coordinates: they are written with
 * one decimal at most and without printf. */
#pragma once

#include "metrics/base/buf.h"

/* Text inside XML or HTML, in attributes too; control characters, which XML forbids, are left out.
 */
void svg_text(Buf *out, const char *text);

/* Adds a text in which stand for
 *
 *     %n     a coordinate in pixels, a double, with at most one decimal: 12.3, 12, -0.5
 *     %t %s  a text, as svg_text has it; as it is
 *     %c %%  a character, an int; a per cent sign */
void svg_say(Buf *out, const char *pattern, ...);

/* The style that the classes in a picture want, for the head of a page. */
void svg_style(Buf *out);
