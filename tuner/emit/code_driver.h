/* Parts of NAME.c in the driver flavours, in the order in which they stand there: shared by
 * code_driver*.c, by nobody else.  Each adds its text to `out`; code_driver.c puts them together.
 */
#ifndef APTUNE_EMIT_CODE_DRIVER_H
#define APTUNE_EMIT_CODE_DRIVER_H

#include "tuner/emit/code_parts.h"

/* The driver's types, and what opens its library: where it is not linked. */
void code_driver_api(const Code *c, Buf *out);

/* The tables of images and of functions in them. */
void code_driver_images(const Code *c, Buf *out);

/* The kernel object, and the functions that load a variant's code into it. */
void code_driver_kernel(const Code *c, Buf *out);

/* The functions that load and unload the kernel object, and choose a variant. */
void code_driver_load(const Code *c, Buf *out);

#endif
