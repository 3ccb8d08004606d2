/* Asks an emitted unit of tests/unit/test_emit_code.c what it would take. */
#include "mm.h"

#include <stdio.h>

static void ask(const char *device, int arch, long long m, long long n, long long k)
{
    static const char *const matches[] = {"exact", "nearest size", "same architecture", "PTX",
                                          "default"};
    const mm_problem p = {m, n, k};
    mm_choice c;
    const int status = mm_choose_for(device, arch, &p, &c);
    printf("%s %lld %lld %lld: ", device, m, n, k);
    if (status != MM_OK)
        printf("%s\n", mm_status_text(status));
    else
        printf("%d %d %s, %s\n", c.entry, c.variant, matches[c.match], c.tuned_for);
}

int main(void)
{
    ask("NVIDIA H200", 90, 4096, 4096, 4096);
    ask("NVIDIA H200", 90, 1024, 1024, 1024);
    ask("NVIDIA H200", 90, 1500, 1500, 1500);
    ask("NVIDIA H200", 90, 2100, 2100, 2100);
    ask("NVIDIA H200", 90, 1000000, 1000000, 64);
    ask("NVIDIA H100", 90, 4096, 4096, 4096);
    ask("NVIDIA H100", 90, 1000, 1000, 1000);
    ask("NVIDIA GH200", 90, 1024, 1024, 1025);
    ask("NVIDIA B200", 100, 4096, 4096, 4096);
    ask("NVIDIA A40", 86, 4096, 4096, 4096);
    ask("NVIDIA T4", 75, 4096, 4096, 4096);
    ask("NVIDIA H200", 90, 0, 4096, 4096);
    ask("NVIDIA H200", 90, 4096, -1, 4096);
    ask("NVIDIA H200", 90, 3000000000LL, 1, 1);
    ask("NVIDIA H200", 90, 2147483647, 2147483647, 2147483647);
    return 0;
}
