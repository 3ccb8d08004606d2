/* A picture as PDF, for papers: the SVG that plot_write made, translated element by element.
 *
 * So there is one way to draw, and what a class looks like stands in one place (svg_style), which
 * is read here too.  Vectors stay vectors, and text stays text in Helvetica, which every reader
 * has. */
#pragma once

#include "metrics/base/diag.h"

/* `title` is the document's, shown by readers and not drawn. */
void pdf_write(const char *svg, const char *title, Buf *out);

/* PATH.svg, which stands alone, and PATH.pdf of what plot_write wrote.  False after a message. */
bool picture_save(const char *svg, const char *title, const char *path, Diag *d);
