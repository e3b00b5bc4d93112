/* stopped NAME...: a family that is stopped, which takes no signal but SIGKILL. */
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    if (fork() == 0) {
        execvp(argv[1], argv + 1);
        _exit(1);
    }
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            raise(SIGSTOP);
            execvp(argv[1], argv + 1);
            _exit(1);
        }
    raise(SIGSTOP);
    return 0;
}
