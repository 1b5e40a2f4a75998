/**
 * Real engines for tests, each on a socket and in folders of its own, started from what is installed here and ended by the
 * number of its process. Where a machine cannot run one, the reason is told, and the suites that need it count as skipped.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyEngine, type EngineName } from '../../../src/hosts/sandbox/container/find-engine.ts';
import { removeFolder as removeAll } from '../folder.ts';
import { boundedBy, until } from '../until.ts';
import { busyboxImage, importImage, imageTrouble } from './image.ts';

/** The image that every engine of tests has. */
export const IMAGE = 'localhost/pincer-test:1';
/** What these engines come from. */
export const ENGINE_PACKAGES: Readonly<Record<EngineName, readonly string[]>> = {
  docker: ['docker.io', 'busybox-static'],
  podman: ['podman', 'catatonit', 'runc', 'busybox-static'],
};

export const OURSELVES = process.geteuid?.() ?? 0;
const START_MS = 90_000;
const STOP_MS = 20_000;

export interface RunningEngine {
  readonly name: EngineName;
  readonly socket: string;
  readonly pid: number;
  /** Why it does not run; undefined when it does. */
  readonly trouble: undefined;
  stop(): Promise<void>;
}

export interface MissingEngine {
  readonly name: EngineName;
  readonly trouble: string;
  stop(): Promise<void>;
}

/** Starts the engine, with the image in it; as this user, or as another one where this is root. */
export async function startEngine(name: EngineName, uid = OURSELVES): Promise<RunningEngine | MissingEngine> {
  const trouble = troubleWith(name, uid) ?? imageTrouble();
  if (trouble !== undefined) return missing(name, trouble);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `pincer-${name}-`)));
  const socket = join(folder, 'engine.sock');
  const log = join(folder, 'log');
  const child = run(name === 'docker' ? dockerd(folder, socket) : podman(folder, socket, uid), folder, log, uid);
  const stop = async () => {
    await endProcess(child);
    endLeftovers(folder);
    removeFolder(folder);
  };
  try {
    await answers(socket, child);
    await importImage(socket, IMAGE, busyboxImage());
  } catch (error) {
    const said = readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ');
    await stop();
    return missing(name, `${error instanceof Error ? error.message : String(error)}; it said: ${said}`);
  }
  return { name, socket, pid: child.pid ?? 0, trouble: undefined, stop };
}

function missing(name: EngineName, trouble: string): MissingEngine {
  console.warn(`\nNOT RUN: the suites with a real ${name}, because ${trouble}\n`);
  return { name, trouble, stop: async () => {} };
}

function troubleWith(name: EngineName, uid: number): string | undefined {
  if (process.platform !== 'linux') return 'engines need Linux';
  if (name === 'docker' && uid !== 0) return 'starting one here needs root';
  const needed = name === 'docker' ? ['dockerd', 'containerd', 'runc'] : ['podman', 'conmon', 'catatonit'];
  const lacking = needed.filter((program) => whereIs(program) === undefined);
  if (lacking.length === 0) return undefined;
  return `${lacking.join(' and ')} is missing (apt-get install ${ENGINE_PACKAGES[name].join(' ')})`;
}

/** Where a program is. */
export function whereIs(program: string): string | undefined {
  const found = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/** Runtimes that docker has beside its own. */
function runtimes(): object {
  const runsc = whereIs('runsc');
  return runsc === undefined ? {} : { runsc: { path: runsc, runtimeArgs: ['--network=none', '--platform=ptrace'] } };
}

function dockerd(folder: string, socket: string): string[] {
  return [
    'dockerd',
    '-H',
    `unix://${socket}`,
    '--data-root',
    join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '-p',
    join(folder, 'pid'),
    '--config-file',
    join(folder, 'daemon.json'),
    '--iptables=false',
    '--ip6tables=false',
    '--bridge=none',
    '--default-ulimit',
    'nofile=1024:1024',
  ];
}

function podman(folder: string, socket: string, uid: number): string[] {
  const runc = whereIs('runc');
  return [
    'podman',
    ...(runc === undefined ? [] : ['--runtime', runc]),
    '--root',
    join(folder, 'data'),
    '--runroot',
    join(folder, 'run'),
    '--tmpdir',
    join(folder, 'tmp'),
    ...(uid === 0 ? [] : ['--storage-driver', 'vfs']),
    '--cgroup-manager',
    'cgroupfs',
    '--events-backend',
    'file',
    'system',
    'service',
    '--time=0',
    `unix://${socket}`,
  ];
}

/** Ends with this process, also when that is killed. */
function run(command: readonly string[], folder: string, log: string, uid: number): ChildProcess {
  writeFileSync(join(folder, 'daemon.json'), JSON.stringify({ runtimes: runtimes() }));
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  for (const each of [folder, home]) chownSync(each, uid, uid);
  const user = uid === OURSELVES ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const fd = openSync(log, 'a');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, XDG_RUNTIME_DIR: home, XDG_CONFIG_HOME: home };
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...user, ...command], {
    stdio: ['ignore', fd, fd],
    env,
    cwd: folder,
  });
  closeSync(fd);
  return child;
}

async function answers(socket: string, child: ChildProcess): Promise<void> {
  const isMet = async (): Promise<boolean> => {
    try {
      await identifyEngine(socket);
      return true;
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`, { cause: error });
      return false;
    }
  };
  await until(isMet, 'an answer of the engine', START_MS);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const release = boundedBy(STOP_MS, () => child.kill('SIGKILL'));
  await gone;
  release();
}

/** What an engine leaves: its arguments or its environment hold our folder, which nobody else knows. */
function endLeftovers(folder: string): void {
  for (const pid of readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 1 && each !== process.pid)) {
    try {
      const told = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join('');
      if (told.includes(folder)) process.kill(pid, 'SIGKILL');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // It has ended meanwhile, or is another user's.
      if (code !== 'ENOENT' && code !== 'ESRCH' && code !== 'EACCES') throw error;
    }
  }
}

/** What is still mounted below it would be removed with it, so then it stays. */
function removeFolder(folder: string): void {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length))
    spawnSync('umount', [mount]);
  const left = readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${folder}/`);
  // Layers of an engine without root cannot be written by their owner, who is to remove them.
  const layers = join(folder, 'data', 'vfs', 'dir');
  if (existsSync(layers)) for (const name of readdirSync(layers)) chmodSync(join(layers, name), 0o700);
  if (!left) removeAll(folder);
}
