/* The library's hazard pointers, or with VERIFICATION_HP those of the model checker. */
#ifdef VERIFICATION_HP
#include "ck_hp_mock.h"
#else
#include_next <ck_hp.h>
#endif
