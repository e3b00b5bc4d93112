/* initialiser NAME...: forks before main begins; the child leaves the session if it can, forks again, and becomes NAME. */
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

__attribute__((constructor)) static void early(int argc, char **argv) {
    if (argc < 2 || fork() != 0) return;
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (fork() != 0) _exit(0);
    execvp(argv[1], argv + 1);
    _exit(1);
}

int main(void) { return 0; }
