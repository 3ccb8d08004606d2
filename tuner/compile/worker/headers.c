#include "tuner/compile/worker/headers.h"

/* A file, and the headers that it stands in for. */
static const struct {
    const char *file, *names;
} STANDINS[] = {
    {"limits.h", "limits.h climits"},
    {"stdint.h", "stdint.h inttypes.h cstdint cinttypes"},
    {"cuda_stdint.h", "cuda/std/cstdint"},
    {"float.h", "float.h cfloat"},
    {"math.h", "math.h cmath"},
    {"stdio.h", "stdio.h cstdio"},
    {"stdlib.h", "stdlib.h cstdlib"},
    {"assert.h", "assert.h cassert"},
    {"stddef.h", "stddef.h cstddef string.h cstring memory.h"},
    {"algorithm.h", "algorithm"},
    {"limit_class.h", "limits"},
    {"cuda_std.h", "type_traits utility array tuple complex numeric initializer_list ratio "
                   "bit iterator optional variant concepts numbers"},
    {"functional.h", "functional"},
    {"complex.h", "thrust/complex.h"},
    {"stdexcept.h", "stdexcept exception"},
    {"cub.h", "cub/cub.cuh"},
    {"helper_cuda.h", "helper_cuda.h"},
    {"cublas.h", "cublas.h cublas_v2.h cublas_api.h cublasLt.h cublasXt.h"},
    {"cufft.h", "cufft.h cufftXt.h"},
    {"graphics.h", "cuda_gl_interop.h GL/glew.h GL/gl.h GL/glut.h GL/freeglut.h GL/glu.h "
                   "GLFW/glfw3.h glad/glad.h"},
    {"filesystem.h", "filesystem"},
    {"everything.h", "bits/stdc++.h"},
    {"unistd.h", "unistd.h"},
    {"string.h", "string"},
    {"string_view.h", "string_view"},
    {"streams.h", "iostream ostream istream fstream sstream iomanip ios iosfwd"},
    {"container.h", "vector unordered_map set unordered_set list deque stack"},
    {"map.h", "map"},
    {"queue.h", "queue"},
    {"memory.h", "memory"},
    {"mutex.h", "mutex"},
    {"thread.h", "thread"},
    {"chrono.h", "chrono"},
    {"random.h", "random"},
    /* Nothing in these is for the device. */
    {"empty.h", "helper_functions.h helper_string.h helper_timer.h helper_image.h "
                "cuda_runtime_api.h cudnn.h cusparse.h cusparse_v2.h "
                "cusolverDn.h cusolverSp.h cusolver_common.h npp.h nppi.h nccl.h nvml.h mpi.h "
                "omp.h nvToolsExt.h nvtx3/nvToolsExt.h nvtx3/nvToolsExtCudaRt.h "
                "nvToolsExtCudaRt.h arpa/inet.h netinet/in.h netdb.h sys/socket.h sys/utsname.h "
                "sys/wait.h sched.h dlfcn.h cuda_profiler_api.h "
                "future "
                "condition_variable system_error cctype cerrno "
                "csignal ctime cstdarg locale regex typeinfo sys/time.h sys/types.h "
                "sys/stat.h sys/resource.h sys/mman.h sys/timeb.h time.h errno.h ctype.h signal.h "
                "fcntl.h locale.h stdbool.h stdarg.h malloc.h strings.h pthread.h "
                "dirent.h libgen.h glob.h error.h termios.h sys/ioctl.h poll.h semaphore.h "
                "wchar.h cwchar fenv.h cfenv getopt.h barrier latch span ranges "
                "source_location format compare any bitset valarray clocale csetjmp "
                "setjmp.h typeindex new CL/cl.h CL/opencl.h sys/syscall.h"}};

static void add(Arena *a, Headers *h, const char *name, const char *text)
{
    if (text_add_once(a, &h->names, name) == h->texts.count)
        VEC_PUSH(a, &h->texts, text);
}

/* The header that a SOURCE_WITHOUT_HEADER option names; NULL: another option. */
static const char *left_out(const char *option)
{
    size_t n = strlen(SOURCE_WITHOUT_HEADER);
    return strncmp(option, SOURCE_WITHOUT_HEADER "=", n + 1) == 0 ? option + n + 1 : NULL;
}

/* A file's text; HEADER_NAME in it stands for the name of the header. */
static const char *text_for(Arena *a, const char *file, const char *name)
{
    static const char MARK[] = "HEADER_NAME";
    SCOPED_BUF b = {0};
    const Source *s = NAME_FIND(header_files, header_file_count, name, file);
    const char *text = s->text;
    for (const char *at; (at = strstr(text, MARK)) != NULL; text = at + strlen(MARK))
        buf_printf(&b, "%.*s%s", (int)(at - text), text, name);
    buf_puts(&b, text);
    return arena_string(a, buf_text(&b));
}

Headers headers_for(Arena *a, const CompileRequest *request)
{
    Headers h = {0};
    for (size_t i = 0; i < request->options.count; i++)
        if (left_out(request->options.at[i]))
            add(a, &h, left_out(request->options.at[i]), "namespace std {}\n");
    for (size_t i = 0; i < request->headers.count; i += 2)
        add(a, &h, request->headers.at[i], request->headers.at[i + 1]);
    for (size_t i = 0; i < header_file_count; i++)
        add(a, &h, arena_printf(a, "aptune/%s", header_files[i].name), header_files[i].text);
    for (size_t i = 0; i < COUNT_OF(STANDINS); i++)
        for (const char *at = STANDINS[i].names; *at; at += strspn(at, " ")) {
            const char *name = arena_copy(a, at, strcspn(at, " "));
            add(a, &h, name, text_for(a, STANDINS[i].file, name));
            at += strlen(name);
        }
    return h;
}
