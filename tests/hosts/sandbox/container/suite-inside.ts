/** What a command finds in a container. */
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MIB, type Stage } from './stage.ts';

export function insideSuite(stage: Stage): void {
  it('runs commands in an image without a C library, with the exit code and both streams', async () => {
    expect(await stage.shared.sh('echo out; echo err >&2; exit 3')).toEqual({ code: 3, out: 'out\nerr\n', bytes: 8 });
  });

  it('starts a command in a private terminal', async () => {
    expect((await stage.shared.sh('tty; stty size', { pty: true })).out).toBe('/dev/pts/0\r\n30 100\r\n');
  });

  it('runs the file tools where the files are', async () => {
    await stage.shared.tool('write', { path: 'notes/a.txt', content: 'one\n' });
    expect(readFileSync(join(stage.shared.workspace, 'notes/a.txt'), 'utf8')).toBe('one\n');
    expect((await stage.shared.sh('cat /workspace/notes/a.txt')).out).toBe('one\n');
  });

  it('has no capability, no way to new rights, and a filter on system calls', async () => {
    const { out } = await stage.shared.sh("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
    const rows = Object.fromEntries(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(/:\s+/u)),
    );
    const none = '0000000000000000';
    expect(rows).toEqual({
      CapInh: none,
      CapPrm: none,
      CapEff: none,
      CapBnd: none,
      CapAmb: none,
      NoNewPrivs: '1',
      Seccomp: '2',
    });
  });

  it('has a root that cannot be written', async () => {
    const { out } = await stage.shared.sh('for f in /x /etc/x /opt/pincer/x /usr/bin/x; do touch $f 2>&1; done');
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.replace(/^.*: /u, '')),
    ).toEqual(Array.from({ length: 4 }, () => 'Read-only file system'));
  });

  it('has no network except a private loopback without the listeners of the host', async () => {
    const server = createServer((socket) => socket.end('seen'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { out } = await stage.shared.sh(
      `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; nc -w 1 127.0.0.1 ${port} </dev/null || echo refused`,
    );
    expect(out).toMatch(/^lo\n(?:.*\n)?refused\n$/u);
  });

  it('keeps every folder in memory within its size', async () => {
    const { out } = await stage.shared.sh(
      "df -k 2>/dev/null | awk '$6 ~ /^.(tmp|tmp.home|var.tmp|run|run.pincer|dev.shm)$/ {print $6, $2}' | sort",
    );
    expect(out.trim().split('\n')).toEqual([
      '/dev/shm 16384',
      '/run 1024',
      '/run/pincer 8192',
      '/tmp 11264',
      '/tmp/home 4096',
      '/var/tmp 1024',
    ]);
    const filled = await stage.shared.sh('dd if=/dev/zero of=/tmp/full bs=1M 2>&1; rm /tmp/full');
    expect(filled.out).toContain('No space left on device');
  });

  it('gives a new process the declared environment, and nothing else', async () => {
    const { out } = await stage.shared.sh('env | cut -d= -f1 | sort | tr "\\n" " "');
    expect(out.trim()).toBe('HOME PATH PINCER_OWNER PINCER_SESSION PWD SHLVL');
  });

  it('ends what uses more memory than allowed, and nothing else', async () => {
    const { code } = await stage.shared.sh('head -c 400m /dev/zero | tail');
    expect(code).not.toBe(0);
    expect((await stage.shared.sh('echo alive')).out).toBe('alive\n');
  });

  it('starts no more processes than allowed', async () => {
    // One of its own, which is full until it ends.
    const box = await stage.open({ limits: { tmpBytes: 16 * MIB, pids: 100 } });
    const { out } = await box.sh('for i in $(seq 200); do sleep 600 & done 2>&1; wait');
    expect(out).toMatch(/can't fork|Resource temporarily unavailable/u);
    expect((await box.sh('echo alive')).out).toBe('alive\n');
  });

  it('leaves no zombies', async () => {
    await stage.shared.sh('for i in 1 2 3; do setsid sh -c "exit 0" & done; wait');
    const dead = async () => (await stage.shared.sh('grep -l "^State:.*Z" /proc/[0-9]*/status 2>/dev/null')).out;
    await expect.poll(dead).toBe('');
  });

  it('is one of this machine, by the number of its first process', async () => {
    expect(readFileSync(`/proc/${stage.shared.opened.pid}/cmdline`, 'utf8')).toContain('/opt/pincer/runner/runner.cjs');
  });

  it('limits the size of a file', async () => {
    const box = await stage.open({ limits: { tmpBytes: 16 * MIB, fileBytes: 1 * MIB } });
    await box.sh('head -c 2m /dev/zero > /workspace/big');
    expect(statSync(join(box.workspace, 'big')).size).toBe(1 * MIB);
  });
}
