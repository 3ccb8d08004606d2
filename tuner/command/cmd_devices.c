/* aptune devices: what --arch understands. */
#include "metrics/device/device.h"
#include "tuner/command/command.h"

int cmd_devices(int argc, char **argv)
{
    (void)argc, (void)argv;
    Buf out = {0};
    buf_printf(&out, "%-24s %-7s %5s %12s %12s %14s %14s\n", "device", "arch", "SMs", "threads/SM",
               "registers/SM", "shared/SM KB", "opt-in/blk KB");
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        buf_printf(&out, "%-24s sm_%-4d %5d %12d %12d %14d %14d\n", d->name, device_arch(d), d->sms,
                   d->threads_per_sm, d->registers_per_sm, d->shared_per_sm / 1024,
                   d->shared_per_block_optin / 1024);
    }
    bool ok = command_print(&out);
    buf_free(&out);
    return ok ? EXIT_DONE : EXIT_FAILED;
}
