/* read PRODUCER MEGABYTES: runs the producer on a socket pair, reads all that it prints, and prints MB/s. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static char buffer[1 << 16], kept[1 << 20];
  int pair[2];
  struct timespec begin, end;
  long long total = 0;
  if (argc < 3 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (fork() == 0) {
    dup2(pair[1], 1);
    close(pair[0]);
    close(pair[1]);
    execl(argv[1], "produce", argv[2], (char *)0);
    _exit(127);
  }
  close(pair[1]);
  for (ssize_t got; (got = read(pair[0], buffer, sizeof buffer)) > 0; total += got)
    memcpy(kept + (total & (sizeof kept - 1)) / 2, buffer, got);
  wait(0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) / 1e9;
  printf("%.1f\n", total / 1048576.0 / seconds);
  return 0;
}
