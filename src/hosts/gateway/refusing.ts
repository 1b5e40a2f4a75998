/** What becomes of a prepared request: it runs, a person is asked, or it is refused, and in which words. */
import { allowedWithoutAnswer } from '../../policy/decide.ts';
import type { DenialReason, ExecOutcome } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { Prepared, Ready } from './prepare.ts';

/** The values of a request that decide what becomes of it; without a judgement policy is not consulted. */
interface Decisive extends Pick<Prepared, 'effective' | 'judgement'> {
  readonly settings: Pick<ExecSettings, 'execAllowed' | 'headless'>;
}

/** It runs, a person is asked, or it is refused for this reason. */
export type Treatment = 'run' | 'ask' | DenialReason;

/** What becomes of a request now. */
export function treatmentOf(ready: Decisive): Treatment {
  const denied = whyDenied(ready);
  if (denied !== undefined) return denied;
  if (ready.judgement?.verdict !== 'ask') return 'run';
  if (!ready.settings.headless) return 'ask';
  return runsUnanswered(ready) ? 'run' : 'approval-unavailable';
}

/** Why nothing may run, whoever has approved it; undefined where it may, at least after an approval. */
export function whyDenied({ settings, effective, judgement }: Decisive): DenialReason | undefined {
  if (!settings.execAllowed) return 'tool-denied';
  if (judgement?.verdict !== 'deny') return undefined;
  if (effective.security === 'deny') return 'security=deny';
  return judgement.code === 'deny-rule' ? 'deny-rule' : 'allowlist-miss';
}

/** What `askFallback` says where no person answers. */
export function runsUnanswered({ effective, judgement }: Pick<Decisive, 'effective' | 'judgement'>): boolean {
  return judgement !== undefined && allowedWithoutAnswer(effective.askFallback, judgement);
}

/** A judgement whose verdict is what really happens, where nobody is asked. */
export function finalJudgement(judgement: Judgement, treatment: Treatment): Judgement {
  const verdict = treatment === 'run' ? 'allow' : treatment === 'ask' ? 'ask' : 'deny';
  if (verdict === judgement.verdict) return judgement;
  if (treatment === 'tool-denied') return { ...judgement, verdict, code: treatment, reason: TOOL_DENIED };
  const end = verdict === 'allow' ? 'askFallback allows it' : 'askFallback does not allow it';
  return { ...judgement, verdict, reason: `${judgement.reason}; approvals.headless is true, and ${end}` };
}

/** Why the tool exec is refused as a whole. */
export const TOOL_DENIED = 'the tool exec is denied by tools.deny or tools.allow';

/** The first words of a refusal. */
function refusalText(reason: DenialReason): string {
  if (reason === 'tool-denied') return TOOL_DENIED;
  if (reason === 'approval-unavailable')
    return 'it needs an approval, and approvals.headless says that no person answers';
  return 'the command was not run';
}

/** The answer to a request that is not run. */
export function refusal(
  { judgement, warnings }: Pick<Ready, 'warnings'> & Partial<Pick<Prepared, 'judgement'>>,
  reason: DenialReason,
): ExecOutcome {
  // What the rules say does not matter where no command may run at all.
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

/** The judgement of a command that policy is not consulted about. */
export function notConsulted(sandboxed: boolean): Judgement {
  const allowed = { verdict: 'allow', code: 'not-consulted', stages: [] } as const;
  if (sandboxed)
    return { ...allowed, reason: 'host=sandbox runs in a sandbox, which is the boundary, without being judged' };
  return {
    ...allowed,
    reason: 'host=sandbox with sandboxing off runs on this machine without being judged',
    hint: 'set tools.exec.host to gateway to have commands judged',
  };
}
