// rc11: api-misuse
#include <pthread.h>
int main(void)
{
	pthread_mutex_t m;
	pthread_mutex_init(&m, 0);
	pthread_mutex_unlock(&m);
	return 0;
}
