#ifndef APTUNE_STDIO
#define APTUNE_STDIO
#include <stddef.h>
#include <aptune/host.h>
#define EOF      (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
struct FILE;
#define stdin  ((FILE *)0)
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)
APTUNE_FUNCTION(int, fprintf)
APTUNE_FUNCTION(int, sprintf)
APTUNE_FUNCTION(int, snprintf)
APTUNE_FUNCTION(int, fscanf)
APTUNE_FUNCTION(int, puts)
APTUNE_FUNCTION(int, fflush)
APTUNE_FUNCTION(int, fclose)
APTUNE_FUNCTION(FILE *, fopen)
APTUNE_FUNCTION(size_t, fread)
APTUNE_FUNCTION(size_t, fwrite)
APTUNE_FUNCTION(int, fseek)
APTUNE_FUNCTION(long, ftell)
#endif
