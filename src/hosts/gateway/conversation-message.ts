/** Messages in a conversation: `/exec key=value …`, `/exec reset` and `/approve <id> <decision>`. */
import { ASKS, HOST_NAMES, SECURITIES } from '../../wire/policy.ts';
import type { Decision, ResolveAnswer } from '../../wire/approval.ts';
import type { Caller } from '../../wire/exec.ts';
import type { Methods } from '../../wire/methods.ts';
import type { CommandPosture } from '../../wire/posture.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { ApprovalStore, ConversationOverride } from '../approvals/shape.ts';
import { valuesText } from './posture/posture.ts';

export interface MessageParts {
  readonly settings: ExecSettings;
  readonly store: ApprovalStore;
  resolve(id: string, decision: Decision, by: string): Promise<ResolveAnswer>;
  /** Whether a machine with this id is paired now. */
  isPaired(node: string): boolean;
  /** What happens to the commands of a caller now. */
  posture(caller: Caller): Promise<CommandPosture>;
}

type Message = Methods['command.say']['params'];
type Answer = Methods['command.say']['result'];

const VALUES = { host: HOST_NAMES, security: SECURITIES, ask: ASKS };

const DECISIONS: Readonly<Record<string, Decision>> = {
  'allow-once': 'allow-once',
  allow: 'allow-once',
  once: 'allow-once',
  allowonce: 'allow-once',
  'allow-always': 'allow-always',
  always: 'allow-always',
  allowalways: 'allow-always',
  deny: 'deny',
  reject: 'deny',
  block: 'deny',
};

/** Carries out a message if its sender is authorised. */
export async function handleMessage(message: Message, parts: MessageParts): Promise<Answer> {
  const [word = '', ...rest] = message.text.trim().split(/\s+/u);
  if (word !== '/exec' && word !== '/approve')
    return no(`unknown command ${JSON.stringify(word)}; use /exec or /approve`);
  const refusal = whyNotAuthorised(word, message, parts);
  if (refusal !== undefined) return no(`${message.sender} is not authorised: ${refusal}`);
  return word === '/exec' ? handleExec(rest, message, parts) : handleApprove(rest, message, parts);
}

/** The sender of messages from a node: `node:<id>`. */
const NODE_SENDER = /^node:(?<id>.*)$/isu;

/** The person at the command line is the operator; anyone else must be in the operator's list. Undefined for an authorised sender. */
function whyNotAuthorised(word: string, { caller, sender }: Message, parts: MessageParts): string | undefined {
  const { authorisedSenders } = parts.settings;
  const node = NODE_SENDER.exec(sender)?.groups?.['id'];
  // A node asks for approvals, so it must never answer one, also where the operator passes its message on.
  if (node !== undefined && word !== '/exec') return 'a node can change the values of a conversation with /exec only';
  if (node !== undefined && !parts.isPaired(node)) return 'no paired node has this id; pincer nodes list shows the ids';
  if (caller.operator === true || authorisedSenders === undefined || authorisedSenders.includes(sender))
    return undefined;
  return "add the sender to commands.allowFrom in the operator's pincer.jsonc";
}

async function handleExec(words: readonly string[], message: Message, parts: MessageParts): Promise<Answer> {
  const { conversation } = message.caller;
  if (conversation === undefined) return no('/exec needs a conversation: pass --conversation');
  if (words.length === 1 && words[0] === 'reset') {
    parts.store.setOverride(conversation, {}, message.sender);
    return shown(parts, message.caller);
  }
  const before = parts.store.override(conversation);
  const changes: Record<string, string> = {};
  for (const word of words) {
    const equals = word.indexOf('=');
    const [key, value] = [word.slice(0, equals), word.slice(equals + 1)];
    if (equals < 1 || value === '')
      return no(`${JSON.stringify(word)} is not key=value; /exec accepts host=, security=, ask=, node= or reset`);
    if (key !== 'node' && !(key in VALUES))
      return no(`/exec has no ${JSON.stringify(key)}; it accepts host=, security=, ask=, node= or reset`);
    const allowed: readonly string[] | undefined = key === 'node' ? undefined : VALUES[key as keyof typeof VALUES];
    if (allowed?.includes(value) === false)
      return no(`${key} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}`);
    changes[key] = value;
  }
  const override: ConversationOverride = { ...before, ...changes };
  if (words.length > 0) parts.store.setOverride(conversation, override, message.sender);
  return shown(parts, message.caller);
}

async function shown(parts: MessageParts, by: Caller): Promise<Answer> {
  const { operator: _, ...caller } = by; // the values apply to the conversation's agent, not to the sender
  const posture = await parts.posture(caller);
  const { commands, change } = posture;
  const text = `exec: ${valuesText(posture)}\n${commands}`;
  if (change === undefined) return { ok: true, text };
  return { ok: true, text: `${text}\nto change that:\n  ${change}`, unjudged: commands };
}

async function handleApprove(words: readonly string[], message: Message, parts: MessageParts): Promise<Answer> {
  const decisionAt = words.findIndex((word) => Object.hasOwn(DECISIONS, word.toLowerCase()));
  const decision = DECISIONS[words[decisionAt]?.toLowerCase() ?? ''];
  const id = words.find((_, i) => i !== decisionAt);
  if (words.length !== 2 || decision === undefined || id === undefined)
    return no('usage: /approve <id> allow-once, allow-always or deny');
  const answer = await parts.resolve(id, decision, message.sender);
  if (!answer.ok) return no(answer.hint === undefined ? answer.message : `${answer.message}; ${answer.hint}`);
  if (answer.notRun !== undefined)
    return no(
      [`${answer.approval.slug}: ${decision}, but nothing was run: ${answer.notRun}`, ...kept(answer)].join('\n'),
    );
  return { ok: true, text: [`${answer.approval.slug}: ${decision}`, ...kept(answer)].join('\n') };
}

/** The entries that an answer stored, as in the file, or why none. */
function kept({ stored, notStored }: Extract<ResolveAnswer, { readonly ok: true }>): readonly string[] {
  const entries = stored.map((entry) => `stored ${JSON.stringify({ ...entry, id: undefined, source: undefined })}`);
  return notStored === undefined ? entries : [...entries, `not stored: ${notStored}`];
}

function no(text: string): Answer {
  return { ok: false, text };
}
