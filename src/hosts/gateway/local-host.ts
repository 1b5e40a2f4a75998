/** This machine as a host: a request is prepared and judged, a person is asked where the rules require it, and it runs here. */
import { Fault } from '../../base/fault.ts';
import { maskSecrets } from '../../text/secrets/mask.ts';
import type { ExecOutcome } from '../../wire/exec.ts';
import type { ApprovalsFile } from '../approvals/shape.ts';
import type { Host, RoutedRequest } from '../host.ts';
import type { LaunchStage } from '../process/launch.ts';
import { binaryAt } from '../process/programs/which.ts';
import type { Session } from '../sessions/shape.ts';
import { launcherOfSteps, type StepHostParts } from './launch-steps.ts';
import { stagesOf, startedWithin, identityText, stepsOf } from './approvals/binding.ts';
import { type Prepared, prepare } from './prepare.ts';
import { deny } from './deny.ts';
import type { InsteadOfAsking } from './inside/instead-of-asking.ts';
import { finalJudgement, notJudged, type Treatment, treatmentOf, withoutSandbox } from './treatment.ts';
import { awaitForeground, type HostParts, type Start, startSession } from './start-session.ts';

export interface LocalHostParts extends HostParts, StepHostParts {
  readonly file: Pick<ApprovalsFile, 'used'>;
  /** Creates an approval request for a judged request. */
  readonly ask: (ready: Prepared) => ExecOutcome;
  /** Where commands run instead of asking. */
  readonly sandbox: InsteadOfAsking;
}

export interface LocalHost extends Host {
  startApproved(ready: Prepared, approvalId: string): Promise<Session>;
}

export function localHost(parts: LocalHostParts): LocalHost {
  const { runner, store, file } = parts;

  function startOf(ready: Prepared, approvalId?: string): Start {
    const stages = stagesOf(ready);
    if (!isFilled(stages))
      throw new Fault('EXEC_NO_SHELL', 'this machine has no shell to run the command', {
        hint: 'install sh, or set SHELL to one',
      });
    checkStartedWithin(ready);
    checkTexts(ready);
    const { cwdIdentity, judgement } = ready;
    const start = { runner, stages, cwdIdentity, judgement, approvalId };
    const steps = stepsOf(ready);
    return steps === undefined ? start : { ...start, runner: launcherOfSteps(ready, steps, parts), isCompound: true };
  }

  function noteUse({ judgement, request, context }: Prepared): void {
    for (const { rule, binary, code } of judgement?.stages ?? []) {
      if ((code === 'allowlisted' || code === 'sandbox-only') && rule !== undefined && binary !== undefined)
        file.used(context.caller.agent, rule, maskSecrets(request.command).text, binary.real);
    }
  }

  async function begin(ready: Prepared, start: Start): Promise<Session> {
    const session = await startSession(parts, ready, start);
    noteUse(ready);
    return session;
  }

  /** A command that would run in a sandbox that cannot be used is treated as if there were none. */
  async function decided(
    routed: RoutedRequest,
    isStarting: boolean,
  ): Promise<{ readonly ready: Prepared; readonly treatment: Treatment }> {
    const ready = await prepare(routed);
    const treatment = treatmentOf(ready);
    if (treatment !== 'sandbox' || ready.judgement === undefined) return { ready, treatment };
    const noSandbox = await parts.sandbox.whyNot(routed, isStarting);
    if (noSandbox === undefined) return { ready, treatment };
    const asking = { ...ready, judgement: withoutSandbox(ready.judgement, noSandbox) };
    return { ready: asking, treatment: treatmentOf({ ...asking, noSandbox }) };
  }

  return {
    async exec(routed, signal) {
      const { ready, treatment } = await decided(routed, true);
      if (treatment === 'ask') return parts.ask(ready);
      if (treatment === 'sandbox') {
        noteUse(ready);
        return parts.sandbox.exec(routed, ready, signal);
      }
      if (treatment !== 'run') return deny(store, ready, treatment);
      const start = startOf(ready);
      return awaitForeground(await begin(ready, start), ready, start, signal);
    },
    async explain(routed) {
      const { ready, treatment } = await decided(routed, false);
      const { judgement = notJudged(false), effective } = ready;
      const { route } = routed;
      const runsOn = treatment === 'sandbox' ? treatment : route.runsOn;
      return { judgement: finalJudgement(judgement, treatment), effective, runsOn, isJudged: route.isJudged };
    },
    startApproved: (ready, approvalId) => begin(ready, startOf(ready, approvalId)),
    close: () => runner.close(),
  };
}

/** Programs that a wrapper such as `nice` starts must be those that were judged; only this check verifies them. */
function checkStartedWithin(ready: Prepared): void {
  for (const { real, identity } of startedWithin(ready)) {
    if (identityText(binaryAt(real)?.identity) !== identityText(identity))
      throw new Fault('EXEC_PROGRAM_CHANGED', `${real} changed after it was judged`, {
        hint: 'inspect it, then run the command again',
      });
  }
}

/** A rule is bound to texts, such as a script: what starts must be what was judged. */
function checkTexts({ texts }: Prepared): void {
  const changed = texts.changed();
  if (changed === undefined) return;
  throw new Fault('EXEC_PROGRAM_CHANGED', `${changed} changed after it was judged`, {
    hint: 'inspect it, then run the command again',
  });
}

function isFilled(stages: readonly LaunchStage[]): stages is readonly [LaunchStage, ...LaunchStage[]] {
  return stages.length > 0;
}
