/** This machine as a host: a request is prepared and judged, a person is asked where the rules say so, and it runs here. */
import { Fault } from '../../base/fault.ts';
import { maskSecrets } from '../../text/secrets/mask.ts';
import { actorOf } from '../../wire/actor.ts';
import type { DenialReason, ExecOutcome } from '../../wire/exec.ts';
import type { ApprovalsFile } from '../approvals/shape.ts';
import type { Host } from '../host.ts';
import type { Launcher, LaunchStage } from '../process/launch.ts';
import { binaryAt } from '../process/programs/which.ts';
import type { Session } from '../sessions/shape.ts';
import { stagesOf, startedWithin, textOf } from './approvals/binding.ts';
import { type Prepared, prepare } from './prepare.ts';
import { finalJudgement, notConsulted, refusal, treatmentOf } from './refusing.ts';
import { awaitForeground, type HostParts, judgedAs, type Start, startSession } from './starting.ts';

export interface LocalHostParts extends HostParts {
  readonly runner: Launcher;
  readonly file: Pick<ApprovalsFile, 'used'>;
  /** Puts the question about a judged request to a person. */
  readonly ask: (ready: Prepared) => ExecOutcome;
}

export interface LocalHost extends Host {
  /** Starts what a person has approved. */
  startApproved(ready: Prepared, approvalId: string): Promise<Session>;
}

export function localHost(parts: LocalHostParts): LocalHost {
  const { runner, store, file } = parts;

  function startOf(ready: Prepared, approvalId?: string): Start {
    const stages = stagesOf(ready);
    if (!isFilled(stages))
      throw new Fault('EXEC_NO_SHELL', 'there is no shell on this machine to read the command', {
        hint: 'install sh, or set SHELL to one',
      });
    checkStartedWithin(ready);
    const { cwdIdentity, judgement } = ready;
    return { runner, stages, cwdIdentity, judgement, approvalId };
  }

  function noteUse({ judgement, request, context }: Prepared): void {
    for (const { rule, binary, code } of judgement?.stages ?? []) {
      if (code === 'allowlisted' && rule !== undefined && binary !== undefined)
        file.used(context.caller.agent, rule, maskSecrets(request.command).text, binary.real);
    }
  }

  function deny(ready: Prepared, reason: DenialReason): ExecOutcome {
    const { request, context, judgement } = ready;
    if (reason !== 'tool-denied')
      store.audit({
        event: 'denied',
        ...actorOf(context.caller),
        command: request.command,
        details: { reason, ...judgedAs(ready, judgement) },
      });
    return refusal(ready, reason);
  }

  async function begin(ready: Prepared, start: Start): Promise<Session> {
    const session = await startSession(parts, ready, start);
    noteUse(ready);
    return session;
  }

  return {
    async exec(routed, signal) {
      const ready = await prepare(routed);
      const treatment = treatmentOf(ready);
      if (treatment === 'ask') return parts.ask(ready);
      if (treatment !== 'run') return deny(ready, treatment);
      const start = startOf(ready);
      return awaitForeground(await begin(ready, start), ready, start, signal);
    },
    async explain(routed) {
      const ready = await prepare(routed);
      const { judgement = notConsulted(false), effective } = ready;
      return { judgement: finalJudgement(judgement, treatmentOf(ready)), effective };
    },
    startApproved: (ready, approvalId) => begin(ready, startOf(ready, approvalId)),
    close: () => runner.close(),
  };
}

/** Programs that a wrapper such as `nice` starts have to be those that were judged; nobody but us checks them. */
function checkStartedWithin(ready: Prepared): void {
  for (const { real, identity } of startedWithin(ready)) {
    if (textOf(binaryAt(real)?.identity) !== textOf(identity))
      throw new Fault('EXEC_PROGRAM_CHANGED', `${real} is not the program any more that was judged`, {
        hint: 'look at it, and run the command again',
      });
  }
}

function isFilled(stages: readonly LaunchStage[]): stages is readonly [LaunchStage, ...LaunchStage[]] {
  return stages.length > 0;
}
