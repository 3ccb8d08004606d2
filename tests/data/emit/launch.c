/* Uses an emitted unit of tests/unit/test_emit_code.c on fake_cuda.c, well and badly.  The first
 * argument says how. */
#include "mm.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

void fake_device(const char *name, int arch, int shared);
void fake_failure(const char *function, int number);
void fake_contexts(int are_there);

static const mm_problem SIZE = {4096, 4096, 4096};

static mm_arguments arguments(void)
{
    mm_arguments a;
    mm_arguments_default(&a);
    a.C = (float *)0x1000;
    a.A = (const float *)0x2000;
    a.B = (const float *)0x3000;
    return a;
}

static mm_kernel *load(void)
{
    mm_kernel *k = NULL;
    const int status = mm_load(&k);
    if (status != MM_OK)
        printf("load: %s, %d\n", mm_status_text(status), mm_cuda_error(k));
    return k;
}

static void launch(mm_kernel *k, mm_problem p, mm_arguments a)
{
    mm_choice c;
    const int status = mm_launch(k, &p, &a, NULL, &c);
    printf("%s, %d: entry %d variant %d\n", mm_status_text(status),
           status == MM_CUDA || status == MM_NO_CODE ? mm_cuda_error(k) : 0, c.entry, c.variant);
}

static void plainly(void)
{
    mm_kernel *k = load();
    launch(k, SIZE, arguments());
    launch(k, SIZE, arguments()); /* nothing is loaded again */
    mm_unload(k);
}

static void with_bad_arguments(void)
{
    mm_kernel *k = load();
    mm_arguments a = arguments();
    const mm_problem none = {0, 1, 1};
    a.A = (const float *)0x2008;
    launch(k, SIZE, a);
    a.A = NULL;
    launch(k, SIZE, a);
    launch(k, none, arguments());
    launch(NULL, SIZE, arguments());
    printf("%s\n", mm_status_text(mm_launch(k, NULL, &a, NULL, NULL)));
    printf("%s\n", mm_status_text(mm_load(NULL)));
    printf("%s\n", mm_status_text(mm_choose(k, &SIZE, NULL)));
    printf("%zu\n", mm_scratch_bytes(k, &SIZE));
    mm_unload(k);
    mm_unload(NULL);
}

/* On a device that no cubin is for, the driver compiles; where it cannot, the next best is taken,
 * and in the end nothing. */
static void on_a_newer_device(void)
{
    fake_device("NVIDIA B200", 100, 232448);
    mm_kernel *k = load();
    launch(k, SIZE, arguments());
    mm_unload(k);
    fake_failure("ptx", 222);
    k = load();
    launch(k, SIZE, arguments());
    launch(k, SIZE, arguments());
    mm_unload(k);
    fake_device("NVIDIA T4", 75, 65536);
    load();
}

static void with_failures(void)
{
    fake_failure("cuInit", 100);
    load();
    fake_failure("cuDeviceGetName", 3);
    load();
    fake_failure("", 0);
    mm_kernel *k = load();
    fake_failure("cubin", 2);
    launch(k, SIZE, arguments());
    fake_failure("cubin", 209); /* then the PTX will do */
    launch(k, SIZE, arguments());
    fake_failure("cuLaunchKernel", 701);
    launch(k, SIZE, arguments());
    fake_failure("", 0);
    launch(k, SIZE, arguments());
    mm_unload(k);
}

static void without_a_context(void)
{
    fake_contexts(0);
    load();
    fake_contexts(1);
    mm_kernel *k = load();
    fake_contexts(0);
    launch(k, SIZE, arguments());
    mm_unload(k);
}

static void *launch_often(void *k)
{
    const mm_arguments a = arguments();
    for (int i = 0; i < 200; i++) {
        const mm_problem small = {1024, 1024, 1024};
        if (mm_launch((mm_kernel *)k, i % 2 ? &SIZE : &small, &a, NULL, NULL) != MM_OK)
            return k;
    }
    return NULL;
}

/* Each variant is loaded once, whoever comes first. */
static void by_two_threads(void)
{
    pthread_t threads[2];
    void *failed;
    mm_kernel *k = load();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, launch_often, k);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &failed);
        printf(failed ? "failed\n" : "launched\n");
    }
    mm_unload(k);
}

int main(int count, char **words)
{
    const struct {
        const char *name;
        void (*use)(void);
    } uses[] = {{"plainly", plainly},           {"bad", with_bad_arguments},
                {"newer", on_a_newer_device},   {"failures", with_failures},
                {"context", without_a_context}, {"threads", by_two_threads}};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (count == 2 && strcmp(words[1], uses[i].name) == 0)
            uses[i].use();
    return 0;
}
