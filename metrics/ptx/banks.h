/* Wavefronts that one access of a warp takes in shared memory: passes over its 32 banks of 4 bytes.
 *
 * An access is made in requests, and a request takes as many wavefronts as the bank with the most
 * distinct 4-byte words has; lanes that read the same word share it.
 *   - up to 4 bytes a lane: one request of all lanes;
 *   - 8 bytes: two requests, of 16 lanes each;
 *   - 16 bytes: four requests, of 8 lanes each;
 *   - loads where each lane has the address of its neighbour (lane xor 1 everywhere, or lane xor 2
 *     everywhere): one request for 8 bytes, two of 16 lanes each for 16 bytes.
 * Sources: measured with Nsight Compute on an H200 (tests/data/counters: loads and stores of 4, 8
 * and 16 bytes in 102 patterns, lanes that share words among them, and 12 kernels; every count of
 * wavefronts is the rule's).  The neighbour rule is as NVIDIA states it for compute capability 7.x
 * ("Unexpected shared memory bank conflict", NVIDIA developer forums, topic 77228).
 *
 * The count does not change when every address moves by the same multiple of the access's width. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Lane i of `lanes` (bits) reads or writes `bytes` (1, 2, 4, 8 or 16) at address[i], aligned to
 * that.  0 when no lane does.  `least`, when not NULL, gets the wavefronts that the same distinct
 * words would take if they were spread evenly over the banks. */
int banks_wavefronts(const uint64_t address[32], uint32_t lanes, int bytes, bool is_load,
                     int *least);

/* Atomics: every lane counts, also those that name the same word. */
int banks_wavefronts_atomic(const uint64_t address[32], uint32_t lanes, int bytes);

/* ldmatrix and stmatrix: lanes 8m to 8m + 7 give the rows, 16 bytes each, of matrix m; a matrix
 * is one request. */
int banks_wavefronts_matrix(const uint64_t address[32], uint32_t lanes, int matrices);

/* Distinct 4-byte words: passes of the constant cache, which gives one word a time to all lanes. */
int banks_distinct_words(const uint64_t address[32], uint32_t lanes);
