/* Any bytes as what a helper, or the program, sends: the stream of messages, and each message as
 * every kind that there is.  Inputs are messages as metrics/base/wire.h has them. */
#include "tests/fuzz/told.h"
#include "tuner/compile/result.h"
#include "tuner/gpu/message.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_gpu(Arena *a, const WireMessage *m)
{
    Diag d = diag_new(a);
    TaskProblem problem;
    Trial trial;
    TrialResult result;
    const TaskOutput *outputs;
    size_t count;
    Device device;
    GpuFacts facts;
    const MessageLimits limits = {.buffers = 2, .textures = 1};
    message_verb(m->header);
    message_read_problem(a, m, &problem, &d);
    message_read_trial(a, m, limits, &trial, &d);
    message_read_result(a, m->header, &result);
    message_read_outputs(a, m->header, &outputs, &count);
    json_read_struct(a, &DEVICE_JSON, m->header, m->blob, &device, &d);
    message_read_facts(a, m->header, &facts);
}

static void read_compile(Arena *a, const WireMessage *m)
{
    CompileResult result = {0};
    CompileRequest request;
    Diag quiet = diag_new(a);
    result_read(a, m, &result);
    result_read_profile(a, m, 1, &result);
    request_read(a, m, &request, &quiet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size) || lseek(fd, 0, SEEK_SET))
        __builtin_trap();
    WireReader r = wire_reader(fd);
    WireMessage m;
    while (wire_fill(&r) == WIRE_OK)
        continue;
    WireStatus status;
    while ((status = wire_next(&r, &m)) == WIRE_OK) {
        Arena *a = arena_new();
        read_gpu(a, &m);
        read_compile(a, &m);
        arena_free(a);
        wire_message_free(&m);
    }
    Buf quoted = {0};
    if (status == WIRE_GARBAGE)
        wire_quote(&r, &quoted);
    buf_printf(&quoted, "%d\n", (int)status);
    told(&quoted);
    wire_reader_free(&r);
    close(fd);
    return 0;
}
