/* What a program can tell Treville, and ask of it.
 *
 * `treville verify` finds this header by itself and defines __TREVILLE__. Elsewhere the functions below do what is closest:
 * an assumption that does not hold ends the process, a value that is not determined is 0, notes about loops are
 * nothing, and what is retired is never freed. */
#ifndef TREVILLE_H
#define TREVILLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct treville_hazard treville_hazard_t;

#ifdef __TREVILLE__

/* Executions in which the condition is false are of no interest. */
void treville_assume(bool condition);

/* The program is wrong if this is reached; `what` says how. */
void treville_fail(const char *what) __attribute__((noreturn));

/* Any value of the type: the program is checked for all of them. */
bool treville_nondet_bool(void);
uint8_t treville_nondet_u8(void);
uint16_t treville_nondet_u16(void);
uint32_t treville_nondet_u32(void);
uint64_t treville_nondet_u64(void);

/* The loop that begins directly after this call, else the one around it, is repeated at most `n` times; `n` is a constant. */
void treville_loop_bound(unsigned n);

/* Around an iteration of a loop that waits for other threads. If `left` is false at the end, the iteration had no effect and
 * would be repeated for ever unless another thread does something. */
void treville_spin_start(void);
void treville_spin_end(bool left);

/* Hazard pointers. An object that is retired is freed as soon as no hazard pointer protects it: threads whose hazard pointers
 * do may go on using it, if they protected it before it was retired. A hazard pointer is used by one thread at a time. After
 * protecting what it has read, a thread reads again, as with any hazard pointer: only then is it known to be in time. */
treville_hazard_t *treville_hazard_alloc(void);
void treville_hazard_protect(treville_hazard_t *hazard, void *object);
void treville_hazard_clear(treville_hazard_t *hazard);
void treville_hazard_free(treville_hazard_t *hazard);
void treville_hazard_retire(void *object);

#else

#include <stdio.h>
#include <stdlib.h>

static inline void treville_assume(bool condition)
{
	if (!condition)
		exit(0);
}

static inline void treville_fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static inline bool treville_nondet_bool(void) { return false; }
static inline uint8_t treville_nondet_u8(void) { return 0; }
static inline uint16_t treville_nondet_u16(void) { return 0; }
static inline uint32_t treville_nondet_u32(void) { return 0; }
static inline uint64_t treville_nondet_u64(void) { return 0; }
static inline void treville_loop_bound(unsigned n) { (void)n; }
static inline void treville_spin_start(void) {}
static inline void treville_spin_end(bool left) { (void)left; }
static inline treville_hazard_t *treville_hazard_alloc(void) { return 0; }
static inline void treville_hazard_protect(treville_hazard_t *hazard, void *object) { (void)hazard, (void)object; }
static inline void treville_hazard_clear(treville_hazard_t *hazard) { (void)hazard; }
static inline void treville_hazard_free(treville_hazard_t *hazard) { (void)hazard; }
static inline void treville_hazard_retire(void *object) { (void)object; }

#endif

/* The program is wrong if the condition is false. */
#define treville_assert(condition) ((condition) ? (void)0 : treville_fail(#condition))

#ifdef __cplusplus
}
#endif

#endif
