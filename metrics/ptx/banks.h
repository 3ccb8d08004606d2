/* Wavefronts (passes over the 32 four-byte banks) that one warp access takes in shared memory.
 *
 * An access consists of requests. A request takes as many wavefronts as the fullest bank has distinct
 * 4-byte words; lanes that read the same word share it.
 * - up to 4 bytes per lane: one request of all lanes;
 * - 8 bytes: two requests of 16 lanes;
 * - 16 bytes: four requests of 8 lanes;
 * - loads in which each lane has its neighbour's address (lane xor 1 for all, or lane xor 2 for all): one
 *   request for 8 bytes, two of 16 lanes for 16 bytes.
 *
 * Sources: measured with Nsight Compute on an H200 (tests/data/counters: loads and stores of 4, 8 and 16
 * bytes in 102 patterns, including lanes that share words, and 12 kernels; the rule reproduces every
 * wavefront count). The neighbour rule is as NVIDIA states it for compute capability 7.x ("Unexpected
 * shared memory bank conflict", NVIDIA developer forums, topic 77228).
 *
 * Moving every address by one multiple of the access width does not change the count. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Wavefronts when lane i of `lanes` (bits) accesses `bytes` (1, 2, 4, 8 or 16) at address[i], aligned to
 * that; 0 without active lanes. `least` (may be NULL) receives the wavefronts if the same distinct words
 * were spread evenly over the banks. */
int banks_wavefronts(const uint64_t address[32], uint32_t lanes, int bytes, bool is_load,
                     int *least);

/* Atomics: lanes that address the same word do not share it. */
int banks_wavefronts_atomic(const uint64_t address[32], uint32_t lanes, int bytes);

/* ldmatrix, stmatrix: lanes 8m to 8m + 7 address the 16-byte rows of matrix m; a matrix is one request. */
int banks_wavefronts_matrix(const uint64_t address[32], uint32_t lanes, int matrices);

/* Distinct 4-byte words: passes of the constant cache, which broadcasts one word at a time. */
int banks_distinct_words(const uint64_t address[32], uint32_t lanes);
