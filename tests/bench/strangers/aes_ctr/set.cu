extern "C" __global__ void set_thread_count(unsigned *threads, unsigned count) { *threads = count; }
