// rc11: 1
#include <treville.h>
void __VERIFIER_assume(int);
void __VERIFIER_loop_bound(int);
int main(void)
{
	treville_assume(1);
	__VERIFIER_assume(1);
	for (int i = 0; i < 3; i++)
		treville_loop_bound(4);
	treville_spin_start();
	treville_spin_end(1);
	treville_assert(sizeof(long) == 8);
	return 0;
}
