/*
 * What attacks need and not every image has: `serve PORT`, `fetch ADDRESS PORT [QUESTION]`, `eat MEBIBYTES`, `forks COUNT`, `pause`, `daemon`,
 * `users` (real and effective, user and group), `descriptors` (those that are open).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in at(const char *address, int port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, address, &place.sin_addr);
  return place;
}

static int serve(int port) {
  int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in place = at("127.0.0.1", port);
  if (bind(fd, (struct sockaddr *)&place, sizeof place) != 0 || listen(fd, 5) != 0) return perror("serve"), 1;
  if (fork() != 0) return 0;
  setsid();
  for (int i = 0; i < 3; i++) close(i);
  for (;;) {
    int client = accept(fd, 0, 0);
    if (client < 0) continue;
    if (write(client, "hello from inside\n", 18) < 0) return 1;
    close(client);
  }
}

static int fetch(const char *address, int port, const char *question) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in place = at(address, port);
  alarm(30);
  if (connect(fd, (struct sockaddr *)&place, sizeof place) != 0) return printf("refused %d\n", errno), 1;
  if (question != 0 && dprintf(fd, "%s\r\n\r\n", question) < 0) return 1;
  char text[4096];
  ssize_t length;
  while ((length = read(fd, text, sizeof text)) > 0) fwrite(text, 1, length, stdout);
  return 0;
}

static int eat(int mebibytes) {
  for (int i = 0; i < mebibytes; i++) {
    char *part = malloc(1 << 20);
    if (part == 0) return printf("no more at %d\n", i), 1;
    for (int j = 0; j < 1 << 20; j += 4096) part[j] = (char)(i + j + 1);
  }
  printf("ate %d\n", mebibytes);
  return 0;
}

static int forks(int count) {
  int made = 0;
  pid_t *children = calloc(count, sizeof *children);
  while (made < count) {
    pid_t pid = fork();
    if (pid == 0) {
      alarm(20);
      for (;;) pause();
    }
    if (pid < 0) break;
    children[made++] = pid;
  }
  printf("forked %d\n", made);
  for (int i = 0; i < made; i++) kill(children[i], SIGKILL);
  return 0;
}

/* Leaves its parent, its session, its environment and its name behind; the process between has gone when this one ends. */
static int daemon_away(char **names) {
  pid_t between = fork();
  if (between != 0) return waitpid(between, 0, 0) == between ? 0 : 1;
  setsid();
  if (fork() != 0) _exit(0);
  clearenv();
  for (int i = 0; i < 3; i++) close(i);
  memset(names[1], 'z', strlen(names[1]));
  for (;;) pause();
}

static int users(void) {
  printf("%d %d %d %d\n", getuid(), geteuid(), getgid(), getegid());
  return 0;
}

/* Asked one by one: listing a folder would open one more. */
static int descriptors(void) {
  for (int fd = 0; fd < 4096; fd++)
    if (fcntl(fd, F_GETFD) >= 0) printf("%d\n", fd);
  return 0;
}

int main(int count, char **names) {
  setbuf(stdout, 0);
  if (count > 2 && strcmp(names[1], "serve") == 0) return serve(atoi(names[2]));
  if (count > 3 && strcmp(names[1], "fetch") == 0) return fetch(names[2], atoi(names[3]), count > 4 ? names[4] : 0);
  if (count > 2 && strcmp(names[1], "eat") == 0) return eat(atoi(names[2]));
  if (count > 2 && strcmp(names[1], "forks") == 0) return forks(atoi(names[2]));
  if (count > 1 && strcmp(names[1], "pause") == 0) return pause();
  if (count > 1 && strcmp(names[1], "daemon") == 0) return daemon_away(names);
  if (count > 1 && strcmp(names[1], "users") == 0) return users();
  if (count > 1 && strcmp(names[1], "descriptors") == 0) return descriptors();
  return 2;
}
