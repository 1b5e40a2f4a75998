/** Decides what happens to a prepared request: it runs, a person is asked, or it is refused, with the message. */
import { allowedWithoutAnswer } from '../../policy/decide.ts';
import { runsInSandbox } from '../../policy/on-miss.ts';
import type { DenialReason, ExecOutcome } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { Prepared, Ready } from './prepare.ts';
import { forOperator } from '../../policy/hint.ts';

/** The values that decide; without a judgement, no rules apply. */
interface TreatmentInputs extends Pick<Prepared, 'effective' | 'judgement'> {
  readonly settings: Pick<ExecSettings, 'execAllowed' | 'headless'>;
  /** Why the sandbox of the agent cannot be used. */
  readonly noSandbox?: string | undefined;
}

/** It runs, it runs in the sandbox of the agent, a person is asked, or it is refused for this reason. */
export type Treatment = 'run' | 'sandbox' | 'ask' | DenialReason;

export function isRefusal(treatment: Treatment): treatment is DenialReason {
  return treatment !== 'run' && treatment !== 'sandbox' && treatment !== 'ask';
}

export function treatmentOf(ready: TreatmentInputs): Treatment {
  const { settings, effective, judgement, noSandbox } = ready;
  const mayUseSandbox = settings.execAllowed && noSandbox === undefined;
  if (mayUseSandbox && judgement !== undefined && runsInSandbox(effective, judgement)) return 'sandbox';
  const denied = whyDenied(ready);
  if (denied !== undefined) return denied;
  if (judgement?.verdict !== 'ask') return 'run';
  if (!settings.headless) return 'ask';
  return runsUnanswered(ready) ? 'run' : 'approval-unavailable';
}

/** The judgement of a command that would run in the sandbox, which cannot be used. */
export function withoutSandbox(judgement: Judgement, why: string): Judgement {
  return { ...judgement, reason: `${judgement.reason}; the sandbox cannot be used: ${why}` };
}

/** Why the request may not run even after an approval; undefined where it may. */
export function whyDenied({ settings, effective, judgement }: TreatmentInputs): DenialReason | undefined {
  if (!settings.execAllowed) return 'tool-denied';
  if (judgement?.verdict !== 'deny') return undefined;
  if (effective.security === 'deny') return 'security=deny';
  return judgement.code === 'deny-rule' ? 'deny-rule' : 'allowlist-miss';
}

/** Whether `askFallback` runs the request where no person answers. */
export function runsUnanswered({ effective, judgement }: Pick<TreatmentInputs, 'effective' | 'judgement'>): boolean {
  return judgement !== undefined && allowedWithoutAnswer(effective.askFallback, judgement);
}

/** The judgement with the verdict that takes effect where no person is asked. */
export function finalJudgement(judgement: Judgement, treatment: Treatment): Judgement {
  if (treatment === 'sandbox')
    return { ...judgement, verdict: 'allow', reason: `it runs in the sandbox: ${judgement.reason}` };
  const verdict = treatment === 'run' ? 'allow' : treatment === 'ask' ? 'ask' : 'deny';
  if (verdict === judgement.verdict) return judgement;
  if (treatment === 'tool-denied') return { ...judgement, verdict, code: treatment, reason: TOOL_DENIED };
  const end = verdict === 'allow' ? 'askFallback allows it' : 'askFallback does not allow it';
  return { ...judgement, verdict, reason: `${judgement.reason}; approvals.headless is true, and ${end}` };
}

export const TOOL_DENIED = 'the tool exec is denied by tools.deny or tools.allow';

function refusalText(reason: DenialReason): string {
  if (reason === 'tool-denied') return TOOL_DENIED;
  if (reason === 'approval-unavailable')
    return 'it needs an approval, and approvals.headless is set: no person answers';
  return 'the command was not run';
}

export function refusal(
  { judgement, warnings }: Pick<Ready, 'warnings'> & Partial<Pick<Prepared, 'judgement'>>,
  reason: DenialReason,
): ExecOutcome {
  // The judgement is irrelevant where no command may run at all.
  const isAbout = judgement !== undefined && reason !== 'tool-denied';
  return {
    status: 'denied',
    reason,
    message: !isAbout ? refusalText(reason) : `${refusalText(reason)}: ${judgement.reason}`,
    ...(!isAbout || judgement.hint === undefined ? {} : { hint: judgement.hint }),
    ...(judgement === undefined ? {} : { judgement }),
    warnings,
  };
}

/** The judgement of a command that is not judged. */
export function notJudged(sandboxed: boolean): Judgement {
  const allowed = { verdict: 'allow', code: 'not-consulted', stages: [] } as const;
  if (sandboxed) return { ...allowed, reason: 'the command runs in a sandbox, which limits it, and is not judged' };
  return {
    ...allowed,
    reason: 'sandboxing is off: with host=sandbox the command runs on this machine and is not judged',
    ...forOperator('set tools.exec.host to gateway to have commands judged'),
  };
}
