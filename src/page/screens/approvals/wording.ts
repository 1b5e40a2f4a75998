/** Fixed words for requests. */
import { personText } from '../../text/person.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { OPERATOR_CLIENT } from '../../../wire/client-name.ts';
import type { Tone } from '../../components/chip.tsx';
import type { IconName } from '../../components/icon.tsx';
import { ageText } from '../../text/times.ts';

export interface Label {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
}

const CODES: Readonly<Record<string, Label>> = {
  'allowlist-miss': { tone: 'muted', icon: 'policy', text: 'Not on the list' },
  'project-code': { tone: 'ask', icon: 'warn', text: 'Runs code of the project' },
  'inline-code': { tone: 'ask', icon: 'warn', text: 'Inline code' },
  chaining: { tone: 'ask', icon: 'warn', text: 'Needs a shell' },
  redirection: { tone: 'ask', icon: 'warn', text: 'Needs a shell' },
  substitution: { tone: 'ask', icon: 'warn', text: 'Needs a shell' },
  expansion: { tone: 'ask', icon: 'warn', text: 'Needs a shell' },
  shell: { tone: 'ask', icon: 'warn', text: 'Starts a shell' },
  carrier: { tone: 'ask', icon: 'warn', text: 'Starts other programs' },
  'deny-rule': { tone: 'no', icon: 'no', text: 'A rule denies it' },
  'outside-workspace': { tone: 'ask', icon: 'warn', text: 'Outside of the workspace' },
  'not-found': { tone: 'ask', icon: 'search', text: 'Program not found' },
  environment: { tone: 'ask', icon: 'warn', text: 'Changes the environment' },
  interactive: { tone: 'ask', icon: 'warn', text: 'Takes typed commands' },
  'ask-always': { tone: 'muted', icon: 'policy', text: 'Always asks' },
  'invisible-character': { tone: 'no', icon: 'warn', text: 'Hidden character' },
  'control-character': { tone: 'no', icon: 'warn', text: 'Hidden character' },
};

/** Why it is asked, in two or three words; a code without a label is shown itself. */
export function codeLabel(code: string): Label {
  return CODES[code] ?? { tone: 'ask', icon: 'ask', text: code };
}

const STATES: Readonly<Record<ApprovalInfo['state'], Label>> = {
  pending: { tone: 'ask', icon: 'ask', text: 'Waiting' },
  allowed: { tone: 'ok', icon: 'ok', text: 'Allowed' },
  denied: { tone: 'no', icon: 'no', text: 'Denied' },
  expired: { tone: 'muted', icon: 'clock', text: 'Expired' },
  cancelled: { tone: 'muted', icon: 'off', text: 'Taken back' },
};

export function stateLabel({ state, decision, outcome }: Pick<ApprovalInfo, 'state' | 'decision' | 'outcome'>): Label {
  if (outcome?.startsWith('approval-changed') === true) return { tone: 'no', icon: 'warn', text: 'Not run' };
  if (state === 'allowed' && decision === 'allow-always') return { ...STATES.allowed, text: 'Always' };
  return STATES[state];
}

const OUTCOMES: Readonly<Record<string, string>> = {
  'user-denied': 'denied',
  'denied-lately': 'denied a moment ago',
  'question-budget': 'asked too often',
  'approval-timeout': 'no answer in time',
  'approval-timeout (allowlist-miss)': 'no answer in time',
  'approval-unavailable': 'no person could be asked',
  'approval-changed': 'not run: it is not what was approved',
  'spawn-failed': 'could not be started',
  'security=deny': 'the rules forbid it',
  'allowlist-miss': 'the rules forbid it',
  'deny-rule': 'the rules forbid it',
  'tool-denied': 'the rules forbid it',
};

/** `code 0` of `Exec finished (gateway id=…, session=…, code 0)`; why it was not run, in words. */
export function outcomeText(outcome: string): string {
  const end = /^Exec finished \(.*, ([^,()]+)\)$/u.exec(outcome)?.[1];
  if (end !== undefined) return end;
  const said = /^user-denied: (.*)$/su.exec(outcome)?.[1];
  return said === undefined ? (OUTCOMES[outcome] ?? outcome) : `denied: ${said}`;
}

/** ` by claude-code`. The client `you` is the person at the command line, not the one who reads this. */
export function askerText(client: string): string {
  return client === OPERATOR_CLIENT ? ' at the command line' : ` by ${client}`;
}

const UNANSWERED = { run: 'then askFallback runs it', deny: 'then denied' } as const;

/** What happens without an answer in time: `then denied`. */
export function unansweredText({ node, unanswered, judgement }: ApprovalInfo): string {
  if (node !== undefined) return 'then its node decides';
  if (unanswered !== undefined) return UNANSWERED[unanswered];
  return judgement.explicit === true ? UNANSWERED.deny : 'then askFallback decides'; // of a gateway of an earlier version
}

const DID = { allowed: 'allowed this', denied: 'denied this' } as const;

/** `operator-2 denied this`. Without its age, which changes: screen readers announce it when it happens, and not every second. */
export function answeredText({ state, resolvedBy }: Pick<ApprovalInfo, 'state' | 'resolvedBy'>): string {
  if (state === 'allowed' || state === 'denied') return `${personText(resolvedBy)} ${DID[state]}`;
  return state === 'expired' ? 'expired without an answer' : 'the agent took this back';
}

/** ` 2 s ago` */
export function answeredAgo({ resolvedAt }: Pick<ApprovalInfo, 'resolvedAt'>, now: number): string {
  return resolvedAt === undefined ? '' : ` ${ageText(now - resolvedAt)} ago`;
}
