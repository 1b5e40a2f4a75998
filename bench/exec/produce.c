/* produce MEGABYTES: prints that much as fast as it can. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static char block[1 << 16];
  long long left = (argc > 1 ? atoll(argv[1]) : 1) << 20;
  memset(block, 'x', sizeof block);
  for (size_t i = 79; i < sizeof block; i += 80) block[i] = '\n';
  while (left > 0) {
    ssize_t written = write(1, block, left < (long long)sizeof block ? (size_t)left : sizeof block);
    if (written <= 0) return 1;
    left -= written;
  }
  return 0;
}
