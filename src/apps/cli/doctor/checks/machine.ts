/** The machine: disk space, clock, and cgroup limits. */
import { existsSync, lstatSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Check, fail, ok, skip, warn } from '../check.ts';

const MEGABYTE = 1 << 20;
const FAIL_BELOW = 50 * MEGABYTE;
const WARN_BELOW = 1024 * MEGABYTE;
const FEW_FILES = 1_000;

export const disk: Check = {
  id: 'disk',
  run({ stateDir }) {
    let folder = stateDir;
    while (!existsSync(folder)) folder = dirname(folder);
    const { bavail, bsize, ffree, files } = statfsSync(folder);
    const free = bavail * bsize;
    const space = `${Math.floor(free / MEGABYTE)} MB free on the disk of ${folder}`;
    if (files > 0 && ffree < FEW_FILES)
      return fail(`only ${ffree} inodes free on the disk of ${folder}`, 'remove files there');
    if (free < FAIL_BELOW) return fail(space, 'free disk space, or set PINCER_STATE_DIR to a folder on another disk');
    return free < WARN_BELOW ? warn(space, 'free disk space before command output fills it') : ok(space);
  },
};

/** The clocks of two machines may differ by seconds. */
const SLACK_MS = 120_000;

export const clock: Check = {
  id: 'clock',
  run({ stateDir, program, now }) {
    const time = new Date(now).toISOString();
    if (statSync(program).mtimeMs > now + SLACK_MS)
      return warn(`the clock (${time}) is earlier than the build date of this program`, 'set the clock');
    const newest = newestChange(stateDir);
    if (newest !== undefined && newest.time > now + SLACK_MS)
      return warn(
        `the clock (${time}) was set back: ${newest.path} has the time ${new Date(newest.time).toISOString()}`,
        'set the clock; approvals and undo depend on it',
      );
    return ok(`the clock is ${time}`);
  },
};

function newestChange(folder: string): { readonly path: string; readonly time: number } | undefined {
  if (!existsSync(folder)) return undefined;
  const times = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, time: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  return times.sort((a, b) => b.time - a.time)[0];
}

const ROOT = '/sys/fs/cgroup';

export const limits: Check = {
  id: 'limits',
  run() {
    if (!existsSync(ROOT)) return skip('this system has no cgroups');
    const unified = existsSync(join(ROOT, 'cgroup.controllers'));
    const memory = unified ? limitOf(2, 'memory.max') : limitOf(1, 'memory/memory.limit_in_bytes');
    const processes = unified ? limitOf(2, 'pids.max') : limitOf(1, 'pids/pids.max');
    const text = `cgroups v${unified ? 2 : 1}; memory ${memory === undefined ? 'unlimited' : `${Math.floor(memory / MEGABYTE)} MB`}; processes ${processes ?? 'unlimited'}`;
    if (memory !== undefined && memory < 256 * MEGABYTE)
      return warn(`${text}: the daemon alone needs 100 MB`, 'give the container more memory');
    if (processes !== undefined && processes < 64) return warn(`${text}: commands may not start`, 'raise pids.max');
    return ok(text);
  },
};

/** The limit of the cgroup of this process; undefined if there is none, or a huge one. */
function limitOf(generation: 1 | 2, file: string): number | undefined {
  for (const path of [join(groupFolder(generation, file), basename(file)), join(ROOT, file)]) {
    try {
      const value = Number(readFileSync(path, 'utf8').trim());
      return value > 0 && value < Number.MAX_SAFE_INTEGER / 2 ? value : undefined;
    } catch {
      // not in this folder, or not readable
    }
  }
  return undefined;
}

function groupFolder(generation: 1 | 2, file: string): string {
  const controller = generation === 2 ? '' : file.split('/')[0]!;
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const line = lines.find((one) => one.split(':')[1]?.split(',').includes(controller));
  const group = line?.slice(line.indexOf(':', line.indexOf(':') + 1) + 1) ?? '/';
  return join(ROOT, controller, group);
}
