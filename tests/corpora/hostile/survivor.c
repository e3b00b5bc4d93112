/* survivor NAME...: leaves the family by every known way, closes everything, and executes NAME... */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    for (int way = 0; way < 3; way++) {
        if (fork() != 0) continue;
        if (way > 0) setsid();
        if (way > 1 && fork() != 0) _exit(0);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, 0);
        signal(SIGHUP, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        for (int descriptor = 0; descriptor < 256; descriptor++) close(descriptor);
        execvp(argv[1], argv + 1);
        _exit(1);
    }
    usleep(100000);
    return 0;
}
