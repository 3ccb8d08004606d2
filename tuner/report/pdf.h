/* A picture as PDF, for papers: translates the SVG of plot_write element by element.
 *
 * So there is one drawing code, and one definition of what classes look like (svg_style).  Vectors stay
 * vectors, and text stays text, in Helvetica, which every reader has. */
#pragma once

#include "metrics/base/diag.h"

/* `title` is the document's title; it is not drawn. */
void pdf_write(const char *svg, const char *title, Buf *out);

/* Saves the output of plot_write as a standalone PATH.svg and as PATH.pdf.  False after a message. */
bool picture_save(const char *svg, const char *title, const char *path, Diag *d);
