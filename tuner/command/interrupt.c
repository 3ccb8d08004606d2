#include "tuner/command/command.h"

#include <sys/signalfd.h>

Interrupt interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    Interrupt out = {0};
    sigemptyset(&out.caught);
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&out.caught, signals[i]);
    }
    int fd = signalfd(-1, &out.caught, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd <= STDERR_FILENO)
        return out;
    sigprocmask(SIG_BLOCK, &out.caught, NULL);
    out.fd = fd;
    return out;
}

int interrupt_take(Interrupt *i)
{
    struct signalfd_siginfo info;
    if (i->fd == 0 || read(i->fd, &info, sizeof info) != (ssize_t)sizeof info)
        return 0;
    sigprocmask(SIG_UNBLOCK, &i->caught, NULL);
    return (int)info.ssi_signo;
}
