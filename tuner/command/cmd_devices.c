/* aptune devices: what --arch understands, and what is known of one of them. */
#include "metrics/cubin/sass.h"
#include "metrics/device/sheet.h"
#include "tuner/command/command.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune devices [NAME | FILE.device]\n"
    "Lists the devices that --arch understands, with the limits that decide how kernels fit, and "
    "whether\n"
    "the reading of their machine code was compared with NVIDIA's disassembler; 0 is not known.  "
    "Of a\n"
    "compute capability the first is the one that sm_XX means.\n"
    "Of one device, by name or in a file of your own for --device-file: all that is known of it, "
    "as "
    "such\n"
    "a file, each number with where it is from.\n";

static int print_devices(void)
{
    Buf out = {0};
    buf_printf(&out, "%-52s %-7s %5s %12s %12s %14s %14s %9s\n", "device", "arch", "SMs",
               "threads/SM", "registers/SM", "shared/SM KB", "opt-in/blk KB", "code");
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        buf_printf(&out, "%-52s sm_%-4d %5d %12d %12d %14d %14d %9s\n", d->name, device_arch(d),
                   d->sms, d->threads_per_sm, d->registers_per_sm, d->shared_per_sm / 1024,
                   d->shared_per_block_optin / 1024,
                   sass_arch_checked(device_arch(d)) ? "checked" : "unchecked");
    }
    return command_finish(&out) ? EXIT_DONE : EXIT_FAILED;
}

static bool is_file(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 7 && strcmp(name + length - 7, ".device") == 0);
}

static int print_device(const char *name)
{
    Arena *a = arena_new();
    Diag diag = diag_new(a);
    const Device *d = is_file(name) ? device_file_read(a, name, &diag) : device_find(name);
    if (!d && diag.errors == 0)
        diag_fail(&diag, "unknown device '%s'; `aptune devices` lists those known", name);
    int code = EXIT_USAGE;
    Buf out = {0};
    if (d) {
        sheet_write(d, &out); /* to be read again */
        code = command_print_data(buf_text(&out)) ? EXIT_DONE : EXIT_FAILED;
        buf_free(&out);
    }
    command_flush_messages(&diag);
    arena_free(a);
    return code;
}

int cmd_devices(int argc, char **argv)
{
    if (argc == 1)
        return print_devices();
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return command_print_text(usage_text) ? EXIT_DONE : EXIT_FAILED;
    if (argc == 2 && argv[1][0] != '-')
        return print_device(argv[1]);
    fputs(usage_text, stderr);
    return EXIT_USAGE;
}
