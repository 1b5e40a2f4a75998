/** The launcher for the steps of one prepared command. */
import type { Step } from '../../wire/steps.ts';
import { changeRecorder } from '../files/changes/recorder.ts';
import { localFiles } from '../files/files.ts';
import type { Launcher } from '../process/launch.ts';
import { createStepFiles } from '../steps/step-files.ts';
import { stepLauncher } from '../steps/step-launcher.ts';
import { realOf } from '../obeyed/reading.ts';
import { actorOf } from '../../wire/actor.ts';
import { UNKNOWN_CLIENT } from '../../wire/client-name.ts';
import { judgeAgain, mayReadOutside } from './judge-again.ts';
import type { Prepared } from './prepare.ts';

export interface StepHostParts {
  readonly runner: Launcher;
  readonly onTrouble: (error: unknown) => void;
  readonly options: {
    /** For the record of changes, and for output on its way to a file. */
    readonly stateDir: string;
    /** For `~/` in paths. */
    readonly home?: string;
  };
}

export function launcherOfSteps(
  ready: Prepared,
  steps: readonly Step[],
  { runner, options: { stateDir, home }, onTrouble }: StepHostParts,
): Pick<Launcher, 'launch'> {
  const { request, context, cwd, rules } = ready;
  const { folder, caller } = context;
  const author = { ...actorOf(caller), client: caller.client ?? UNKNOWN_CLIENT };
  return stepLauncher({
    runner,
    steps,
    command: request.command,
    judge: judgeAgain(ready, rules),
    stateDir,
    files: (session) =>
      createStepFiles({
        cwd,
        mayReadOutside: mayReadOutside(ready),
        files: localFiles({
          cwd: folder,
          stateDir,
          ...(home === undefined ? {} : { home }),
          durable: false, // as the writes of any other command
          searchAhead: true,
          onWarning: onTrouble,
          recorder: changeRecorder({
            stateDir,
            workspace: realOf(folder) ?? folder,
            author,
            group: session,
            warn: onTrouble,
          }),
        }),
      }),
  });
}
