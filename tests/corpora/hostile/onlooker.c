/* Looks at others without opening their files. HOW: inotify FOLDER, xattr FILE, shm, datagram SOCKET. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

static void watch(const char *folder) {
    int watching = inotify_init1(IN_CLOEXEC);
    if (inotify_add_watch(watching, folder, IN_ALL_EVENTS) < 0) return;
    printf("watching\n");
    fflush(stdout);
    struct pollfd ready = {watching, POLLIN, 0};
    char events[4096];
    if (poll(&ready, 1, 3000) > 0 && read(watching, events, sizeof events) > 0)
        printf("saw %s\n", ((struct inotify_event *)events)->name);
}

int main(int count, char **words) {
    char text[256] = {0};
    if (!strcmp(words[1], "inotify")) watch(words[2]);
    if (!strcmp(words[1], "xattr") && getxattr(words[2], "user.note", text, sizeof text - 1) > 0) printf("read %s\n", text);
    if (!strcmp(words[1], "shm"))
        for (int id = 0; id < 1 << 20; id++) {
            char *shared = shmat(id, 0, SHM_RDONLY);
            if (shared != (void *)-1) printf("attached %.40s\n", shared);
        }
    if (!strcmp(words[1], "datagram")) {
        struct sockaddr_un address = {AF_UNIX, {0}};
        strcpy(address.sun_path, words[2]);
        struct iovec part = {"READY=1", 7};
        struct msghdr message = {&address, sizeof address, &part, 1, 0, 0, 0};
        int talking = socket(AF_UNIX, SOCK_DGRAM, 0);
        if (sendmsg(talking, &message, 0) > 0) printf("sent\n");
    }
    printf("done\n");
    return 0;
}
