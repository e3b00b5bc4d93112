/* network PORT SOCKET: sends bytes by every kind of socket; prints each way that did not fail at once. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void report(const char *way, int worked) {
    if (worked) printf("%s\n", way);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int tcp = socket(AF_INET, SOCK_STREAM, 0);
    report("tcp", connect(tcp, (struct sockaddr *)&here, sizeof here) == 0 && write(tcp, "x", 1) == 1);
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    report("udp", sendto(udp, "x", 1, 0, (struct sockaddr *)&here, sizeof here) == 1);
    report("raw", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0);
    report("packet", socket(AF_PACKET, SOCK_RAW, 0) >= 0);
    report("netlink", socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
    report("vsock", socket(AF_VSOCK, SOCK_STREAM, 0) >= 0);

    struct sockaddr_un there = {.sun_family = AF_UNIX};
    strncpy(there.sun_path, argv[2], sizeof there.sun_path - 1);
    int stream = socket(AF_UNIX, SOCK_STREAM, 0);
    report("unix", connect(stream, (struct sockaddr *)&there, sizeof there) == 0);
    int pair[2] = {-1, -1};
    report("datagram pair", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    report("addressed pair", sendto(pair[0], "x", 1, 0, (struct sockaddr *)&there, sizeof there) == 1);

    struct addrinfo *answer;
    report("dns", getaddrinfo("example.com", "80", 0, &answer) == 0);
    report("done", 1);
    return 0;
}
