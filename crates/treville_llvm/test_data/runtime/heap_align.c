// rc11: api-misuse
#include <stdlib.h>
int main(void)
{
	free(aligned_alloc(3, 9));
	return 0;
}
