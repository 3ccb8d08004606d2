/* What the profile says of launches, for a comparison with what Nsight Compute counts of them.
 *
 *     check_counters launches.txt FOLDER
 *
 * The list is as data/counters has it; FOLDER is where .ptx and .cubin are.  One line each: name,
 * instructions issued, sectors of global memory, wavefronts of shared memory, sectors of local memory,
 * 1 where the profile does not know all of it, 1 where it is a mean over warps that differ, sectors
 * that an SM's blocks load first, and what the profile notes. */
#include "tests/support/launch_list.h"

#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char line[1000];
    FILE *list = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: check_counters LAUNCHES FOLDER\n");
        return 2;
    }
    static Launch l;
    while (fgets(line, sizeof line, list)) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        if (launch_read(line, &l)) {
            Buf text = {0};
            if (!launch_predict(&l, argv[2], &d))
                diag_print(&d, &text);
            const double *v = l.profile.value,
                         warps = v[PROFILE_WARPS_PER_BLOCK] * v[PROFILE_BLOCKS];
            printf("%s,%.0f,%.0f,%.0f,%.0f,%d,%d,%.0f,%s%s\n", l.name, v[PROFILE_ISSUED] * warps,
                   v[PROFILE_GLOBAL_SECTORS] * warps, v[PROFILE_SHARED_WAVEFRONTS] * warps,
                   v[PROFILE_LOCAL_TRAFFIC] * warps, isnan(l.predicted[ISSUED]),
                   v[PROFILE_ACCESSES_SAMPLED] > 0, v[PROFILE_LOAD_FIRST_SM] * warps,
                   l.profile.note ? l.profile.note : "", text.size ? buf_text(&text) : "");
            buf_free(&text);
        }
        arena_free(a);
    }
    fclose(list);
    return 0;
}
