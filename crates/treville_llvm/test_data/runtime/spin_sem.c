// rc11: 2
// A semaphore hands over what was written; a spin lock orders two increments.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
static pthread_spinlock_t l;
static sem_t s;
static int data, n;
static void *producer(void *arg)
{
	data = 7;
	sem_post(&s);
	pthread_spin_lock(&l);
	n++;
	pthread_spin_unlock(&l);
	return arg;
}
int main(void)
{
	pthread_t t;
	int value;
	pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
	sem_init(&s, 0, 0);
	assert(sem_trywait(&s) == -1 && errno == EAGAIN);
	pthread_create(&t, 0, producer, 0);
	sem_wait(&s);
	assert(data == 7);
	pthread_spin_lock(&l);
	n++;
	pthread_spin_unlock(&l);
	pthread_join(t, 0);
	sem_getvalue(&s, &value);
	assert(value == 0 && n == 2);
	return 0;
}
