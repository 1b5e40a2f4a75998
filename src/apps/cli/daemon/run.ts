/** `pincer daemon`: the process that holds the sessions; it is started by need and leaves by itself. */
import { helpOf, shapeOf, unknownVerb } from '../definition.ts';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { buildOf } from '../../client/program.ts';
import { daemonLog } from '../../daemon/pointer.ts';
import { gatewayCommand, withGateway } from '../gateway.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { readArguments, usage, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import { ownProgram } from '../own-program.ts';
import { runningText, stopDaemon } from './stop.ts';

const SHAPE = shapeOf(definition);
const IDLE_MS = 600_000;

export function runDaemonCommand(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal) && argv[0] !== 'run';
  return gatewayCommand(
    argv,
    output,
    { help: () => helpOf(definition), ...(argv[0] === 'run' ? { errorJson: false } : {}) },
    async () => {
      const { positionals, flags } = readArguments(SHAPE, argv);
      switch (positionals[0]) {
        case 'run':
          return run();
        case 'status':
          return status(json, output);
        case 'stop':
          return stopDaemon(flags.has('force'), json, output);
        default:
          throw unknownVerb(definition, positionals[0]!);
      }
    },
  );
}

async function run(): Promise<number> {
  const program = ownProgram();
  if (program === undefined) throw usage(SHAPE, 'the daemon is started from a file');
  const [{ runDaemon }, { openOwnGateway }] = await Promise.all([
    import('../../daemon/daemon.ts'),
    import('../../daemon/compose.ts'),
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
        `sessions: ${runningText(sessions)}, ${sessions.finished} finished; approvals pending: ${pendingApprovals}\n` +
        `socket ${socket}\nstate  ${found.stateDir}\nlog    ${daemonLog(stateDir)}\n`,
    );
  }
  return found === undefined ? 1 : 0;
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
