/* link_race OUTSIDE: in the working folder, swaps a folder and a link that leads outside, while another process writes through
   the name as fast as it can; for a second. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    pid_t writer = fork();
    if (writer == 0)
        for (;;) {
            int file = open("place/planted", O_WRONLY | O_CREAT | O_TRUNC, 0600);
            if (file >= 0) {
                if (write(file, "changed", 7) < 0) _exit(1);
                close(file);
            }
        }
    mkdir("folder", 0700);
    if (symlink(argv[1], "link") != 0) return 3;
    for (time_t end = time(0) + 2; time(0) < end;) {
        rename("folder", "place");
        rename("place", "folder");
        rename("link", "place");
        rename("place", "link");
    }
    kill(writer, SIGKILL);
    printf("done\n");
    return 0;
}
