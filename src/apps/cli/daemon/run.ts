/** `pincer daemon`: the process that holds the sessions; it is started by need and leaves by itself. */
import { helpOf, shapeOf, unknownVerb } from '../definition.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { isAlive, type Owner } from '../../../hosts/files/owner.ts';
import { buildOf } from '../../client/program.ts';
import { daemonLog, readPointer } from '../../gateway/pointer.ts';
import { gatewayCommand, withGateway } from '../gateway.ts';
import { jsonOutput, type Output } from '../output.ts';
import { readWords, usage, wantsJson } from '../words.ts';
import { definition } from './definition.ts';

const SHAPE = shapeOf(definition);
const IDLE_MS = 600_000;
/** A daemon ends its sessions first, for which it takes 15 seconds at most. */
const END_MS = 20_000;
const LOOK_MS = 10;

export function runDaemonCommand(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal) && argv[0] !== 'run';
  return gatewayCommand(argv, output, { help: () => helpOf(definition), json }, async () => {
    const { words, flags } = readWords(SHAPE, argv);
    switch (words[0]) {
      case 'run':
        return run();
      case 'status':
        return status(json, output);
      case 'stop':
        return stop(flags.has('force'), json, output);
      default:
        throw unknownVerb(definition, words[0]!);
    }
  });
}

async function run(): Promise<number> {
  const program = process.argv[1];
  if (program === undefined) throw usage(SHAPE, 'the daemon is started from a file');
  const [{ runDaemon }, { openOwnGateway }] = await Promise.all([
    import('../../gateway/daemon.ts'),
    import('../../gateway/compose.ts'),
  ]);
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  try {
    return await runDaemon({
      stateDir: stateFolder(),
      build: buildOf(program),
      idleMs: idleMs(process.env['PINCER_DAEMON_IDLE_MS']),
      open: (options) => openOwnGateway(program, options),
      ...(runtimeDir ? { runtimeDir } : {}),
    });
  } finally {
    // It holds nothing any more, or never did: whatever still keeps the process up may not keep it for long.
    setTimeout(() => process.exit(), 2_000).unref();
  }
}

function idleMs(text: string | undefined): number {
  const ms = Number(text);
  return text && Number.isFinite(ms) && ms >= 0 ? ms : IDLE_MS;
}

async function status(json: boolean, output: Output): Promise<number> {
  const stateDir = stateFolder();
  const found = await ifRunning((client) => client.call('daemon.status', {}));
  if (json)
    showJson(
      found === undefined ? { running: false, stateDir } : { running: true, ...found, log: daemonLog(stateDir) },
      output,
    );
  else if (found === undefined) output.out('no daemon is running\n');
  else {
    const { pid, version, startedAt, sessions, pendingApprovals, memoryBytes, socket } = found;
    const minutes = Math.floor((Date.now() - startedAt) / 60_000);
    output.out(
      `process ${pid}, version ${version}, up for ${minutes} min, ${Math.round(memoryBytes / 1e6)} MB\n` +
        `sessions: ${sessions.running} running, ${sessions.finished} finished; approvals pending: ${pendingApprovals}\n` +
        `socket ${socket}\nstate  ${found.stateDir}\nlog    ${daemonLog(stateDir)}\n`,
    );
  }
  return found === undefined ? 1 : 0;
}

async function stop(force: boolean, json: boolean, output: Output): Promise<number> {
  const pointer = readPointer(stateFolder());
  const answer = await ifRunning(async (client) => {
    const said = await client.call('daemon.stop', { force });
    if (said.stopping) await client.closed();
    return said;
  }).catch((error: unknown) => {
    if (force && error instanceof Fault && error.code === 'GATEWAY_PROTOCOL') return signalled();
    throw error;
  });
  // Whoever comes next meets no half-ended daemon, and finds nothing of it in its folder.
  const ended = answer?.stopping !== true || pointer === undefined || (await hasEnded(pointer));
  const hint = answer === undefined || answer.stopping ? {} : { hint: 'pincer daemon stop --force ends them' };
  if (json) showJson({ ...(answer ?? { stopping: false, running: 0 }), ...hint }, output);
  else if (answer === undefined) output.out('no daemon is running\n');
  else if (!answer.stopping) output.out(`${answer.running} running; ${hint.hint}\n`);
  else output.out(ended ? 'the daemon has ended\n' : `the daemon is still ending (process ${pointer?.pid})\n`);
  return answer === undefined || (answer.stopping && ended) ? 0 : 1;
}

/** Waits for the end of the process itself. */
async function hasEnded(daemon: Owner): Promise<boolean> {
  const deadline = performance.now() + END_MS;
  while (isAlive(daemon)) {
    if (performance.now() > deadline) return false;
    await pause(LOOK_MS);
  }
  return true;
}

/** A daemon that does not understand us understands a signal. */
function signalled(): { stopping: boolean; running: number } {
  const pointer = readPointer(stateFolder());
  if (pointer === undefined || !isAlive(pointer)) return { stopping: false, running: 0 };
  process.kill(pointer.pid, 'SIGTERM');
  return { stopping: true, running: 0 };
}

async function ifRunning<T>(work: Parameters<typeof withGateway<T>>[0]): Promise<T | undefined> {
  try {
    return await withGateway(work, false);
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

function showJson(value: object, output: Output): void {
  jsonOutput(output).out(`${JSON.stringify(value, null, 2)}\n`);
}
