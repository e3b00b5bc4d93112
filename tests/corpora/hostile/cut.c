/* cut FILE: makes a file that may only be read shorter, and touches it, in the ways that do not ask for writing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    int file = open(argv[1], O_RDONLY);
    (void)!truncate(argv[1], 0);
    (void)!ftruncate(file, 0);
    open(argv[1], O_RDONLY | O_TRUNC);
    openat(AT_FDCWD, argv[1], O_RDONLY | O_TRUNC);
    chmod(argv[1], 0777);
    fchmod(file, 0777);
    futimens(file, 0);
    setxattr(argv[1], "user.changed", "x", 1, 0);
    return 0;
}
