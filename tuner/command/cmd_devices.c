/* aptune devices: lists the devices that --arch knows, or prints one of them. */
#include "metrics/cubin/sass.h"
#include "tuner/command/command.h"

static void print_count(Buf *out, int width, int number)
{
    if (number > 0)
        buf_printf(out, " %*d", width, number);
    else
        buf_printf(out, " %*s", width, "-");
}

/* A name too long for its column gets a line of its own, so that the table fits 80 columns. */
static bool print_devices(void)
{
    enum { NAME = 38 };
    SCOPED_BUF out = {0};
    buf_printf(&out, "%*s          |-------- an SM ---------| block\n", NAME, "");
    buf_printf(&out, "%-*s %-7s %4s %7s %9s %4s %4s\n", NAME, "device", "arch", "SMs", "threads",
               "registers", "KB", "KB");
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        const int arch = device_arch(d);
        if (strlen(d->name) > NAME)
            buf_printf(&out, "%s\n%*s", d->name, NAME, "");
        else
            buf_printf(&out, "%-*s", NAME, d->name);
        buf_printf(&out, " sm_%d%c%s", arch, sass_arch_checked(arch) ? '*' : ' ',
                   arch < 100 ? " " : "");
        print_count(&out, 4, d->sms);
        print_count(&out, 7, d->threads_per_sm);
        print_count(&out, 9, d->registers_per_sm);
        print_count(&out, 4, d->shared_per_sm / 1024);
        print_count(&out, 4, d->shared_per_block_optin / 1024);
        buf_putc(&out, '\n');
    }
    return command_print_text(buf_text(&out));
}

static bool devices(Call *c)
{
    if (c->count == 0)
        return print_devices();
    const Device *d = command_device(c, c->words[0], device_find);
    if (!d)
        return false;
    SCOPED_BUF out = {0};
    sheet_write(d, &out); /* unwrapped: it can be read back as a device file */
    return command_print_data(buf_text(&out));
}

const CommandLine cmd_devices = {
    .usage = "usage: aptune devices [NAME | FILE.device]\n"
             "Lists the devices that --arch knows, with the limits that decide how kernels "
             "fit; - is\nunknown.  sm_XX means the first device of that compute capability.  "
             "An asterisk says that\nthe decoder of its machine code was checked against "
             "NVIDIA's disassembler.\nWith a name or a device file, prints everything known "
             "of that device, each number with\nits source, as a file that --device-file reads.\n",
    .most = 1,
    .work = devices};
