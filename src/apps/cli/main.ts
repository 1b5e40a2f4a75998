import { reportFailure } from './failure.ts';
import { BrokenPipe, processOutput } from './output.ts';
import { runPath } from './path/run.ts';

async function main([command, ...rest]: readonly string[]): Promise<number> {
  switch (command) {
    case 'path':
      return runPath(rest, output);
    case 'call':
      return (await import('./call/run.ts')).runCall(rest, output);
    case 'tools':
      return (await import('./call/list.ts')).runTools(rest, output);
    case 'read':
    case 'write':
    case 'edit':
    case 'patch':
      return (await import('./files/run.ts')).runForm(command, rest, output);
    case 'changes':
      return (await import('./changes/run.ts')).runChanges(rest, output);
    case 'undo':
      return (await import('./changes/run.ts')).runUndo(rest, output);
    case 'redo':
      return (await import('./changes/run.ts')).runRedo(rest, output);
    case 'exec':
      return (await import('./exec/run.ts')).runExec(rest, output);
    case 'ps':
      return (await import('./ps/run.ts')).runPs(rest, output);
    case 'logs':
      return (await import('./logs/run.ts')).runLogs(rest, output);
    case 'attach':
      return (await import('./attach/run.ts')).runAttach(rest, output);
    case 'kill':
      return (await import('./kill/run.ts')).runKill(rest, output);
    case 'events':
      return (await import('./events/run.ts')).runEvents(rest, output);
    case 'daemon':
      return (await import('./daemon/run.ts')).runDaemonCommand(rest, output);
    case 'policy':
      return (await import('./policy/run.ts')).runPolicy(rest, output, async (folder) =>
        (await import('./policy/rules.ts')).rulesInForce(folder),
      );
    case 'approvals':
      return (await import('./approvals/run.ts')).runApprovals(rest, output);
    case 'say':
      return (await import('./say/run.ts')).runSay(rest, output);
    case 'help':
      return rest[0] === undefined || rest[0] === 'help' ? main(['--help']) : main([rest[0], '--help']);
    default: {
      const general = await import('./general.ts');
      const argv = command === undefined ? rest : [command, ...rest];
      return general.runGeneral(argv, output, (error) => reportFailure(error, !output.isTerminal, output));
    }
  }
}

const output = processOutput();
// Stands until the command has ended: a process that stops in the middle must not look like one that is done.
process.exitCode = 3;
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = error instanceof BrokenPipe ? 0 : reportFailure(error, !output.isTerminal, output);
  },
);
