/** `pincer daemon`: shows, stops or runs the daemon. */
import { shapeOf, unknownVerb } from '../definition.ts';
import { stateFolder } from '../../../config/state.ts';
import { buildOf } from '../../client/program.ts';
import { daemonLog } from '../../daemon/pointer.ts';
import { ifRunning } from '../if-running.ts';
import { printJson } from '../print-json.ts';
import { runCommand } from '../run-command.ts';
import type { Output } from '../../terminal/output.ts';
import { readArguments, usage, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import { ownProgram } from '../own-program.ts';
import { runningText, stopDaemon } from './stop.ts';

const SHAPE = shapeOf(definition);
const IDLE_MS = 600_000;

export function runDaemonCommand(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal) && argv[0] !== 'run';
  return runCommand(
    definition,
    argv,
    output,
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
    argv[0] === 'run' ? { errorJson: false } : {},
  );
}

async function run(): Promise<number> {
  const program = ownProgram();
  if (program === undefined) throw usage(SHAPE, 'cannot determine the path of the pincer program');
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
    // All sessions are closed. Exit even if a handle is still open.
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
    printJson(
      output,
      found === undefined ? { running: false, stateDir } : { running: true, ...found, log: daemonLog(stateDir) },
    );
  else if (found === undefined) output.out('no daemon is running\n');
  else {
    const { pid, version, startedAt, sessions, pendingApprovals, memoryBytes, socket } = found;
    const minutes = Math.floor((Date.now() - startedAt) / 60_000);
    output.out(
      `pid ${pid}, version ${version}, up for ${minutes} min, ${Math.round(memoryBytes / 1e6)} MB\n` +
        `sessions: ${runningText(sessions)}, ${sessions.finished} finished; approvals pending: ${pendingApprovals}\n` +
        `socket ${socket}\nstate  ${found.stateDir}\nlog    ${daemonLog(stateDir)}\n`,
    );
  }
  return found === undefined ? 1 : 0;
}
