/* How many of a set that is too large are timed. */
#ifndef APTUNE_CHOOSE_BUDGET_H
#define APTUNE_CHOOSE_BUDGET_H

#include <stddef.h>

/* How many of so many configurations of distinct code are timed where nobody says: one in a
 * hundred, but 40 where that is fewer, and of small spaces a tenth.  Below 40 configurations a
 * tenth is too little to learn anything from: 4, or all. */
size_t budget_default(size_t configurations);

/* The part of a budget that is kept for polish: a third.  The other two thirds are spread over what
 * the prediction does not tell apart; they have to find the right part of the space, and polish
 * only finds the best of that. */
size_t budget_polish(size_t budget);

#endif
