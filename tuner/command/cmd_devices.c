/* aptune devices: what --arch understands, and what is known of one of them. */
#include "metrics/cubin/sass.h"
#include "metrics/metric/device.h"
#include "tuner/command/command.h"

#include <string.h>

/* A number that is not known is a dash. */
static void print_count(Buf *out, int width, int number)
{
    if (number > 0)
        buf_printf(out, " %*d", width, number);
    else
        buf_printf(out, " %*s", width, "-");
}

/* A name that its column cannot hold has a line of its own, so that the table fits 80 columns. */
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

static bool print_device(Call *c, const char *name)
{
    const Device *d = command_device(c, name, device_find);
    if (!d)
        return false;
    SCOPED_BUF out = {0};
    sheet_write(d, &out); /* to be read again */
    return command_print_data(buf_text(&out));
}

static bool devices(Call *c)
{
    return c->count > 0 ? print_device(c, c->words[0]) : print_devices();
}

const CommandLine cmd_devices = {
    .usage = "usage: aptune devices [NAME | FILE.device]\n"
             "Lists the devices that --arch understands, with the limits that decide how "
             "kernels\nfit; - is not known.  Of a compute capability the first is the one "
             "that sm_XX means.\n* after it: the reading of its machine code was compared "
             "with NVIDIA's disassembler.\nOf one device, by name or in a file of your own "
             "for --device-file: all that is known\nof it, as such a file, each number with "
             "where it is from.\n",
    .most = 1,
    .work = devices};
