/* files sparse: a file of 1 TiB. files many: 100,000 files and folders nobody may enter. In the folder TMPDIR. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2 || chdir(getenv("TMPDIR")) != 0) return 2;
    if (strcmp(argv[1], "sparse") == 0) {
        int file = open("sparse", O_CREAT | O_RDWR, 0600);
        return ftruncate(file, 1LL << 40) == 0 || fallocate(file, 0, 0, 1LL << 40) == 0 ? 0 : 1;
    }
    for (int i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d", i);
        if (i % 1000 == 0)
            mkdir(name, 0);
        else
            close(open(name, O_CREAT | O_WRONLY, 0));
    }
    return 0;
}
