/* aptune devices: what --arch understands. */
#include "metrics/cubin/sass.h"
#include "metrics/device/device.h"
#include "tuner/command/command.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune devices\n"
    "Lists the devices that --arch understands, with the limits that decide how kernels fit, and "
    "whether\n"
    "the reading of their machine code was compared with NVIDIA's disassembler.\n";

static int print_devices(void)
{
    Buf out = {0};
    buf_printf(&out, "%-24s %-7s %5s %12s %12s %14s %14s %9s\n", "device", "arch", "SMs",
               "threads/SM", "registers/SM", "shared/SM KB", "opt-in/blk KB", "code");
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        buf_printf(&out, "%-24s sm_%-4d %5d %12d %12d %14d %14d %9s\n", d->name, device_arch(d),
                   d->sms, d->threads_per_sm, d->registers_per_sm, d->shared_per_sm / 1024,
                   d->shared_per_block_optin / 1024,
                   sass_arch_checked(device_arch(d)) ? "checked" : "unchecked");
    }
    return command_finish(&out) ? EXIT_DONE : EXIT_FAILED;
}

int cmd_devices(int argc, char **argv)
{
    if (argc == 1)
        return print_devices();
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return command_print_text(usage_text) ? EXIT_DONE : EXIT_FAILED;
    fputs(usage_text, stderr);
    return EXIT_USAGE;
}
