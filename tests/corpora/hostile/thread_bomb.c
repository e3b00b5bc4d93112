/* Threads instead of processes. */
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *unused) {
    for (;;) pause();
    return unused;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, 0, wait_for_ever, 0) != 0) usleep(1000);
    }
}
