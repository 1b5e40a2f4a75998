/**
 * The gateway's copy of an approval request on a node. The command and its author are those that the gateway sent; the rest is what
 * the node reports. A node may be hostile: its texts are shown without control characters, and long ones are shortened.
 */
import { Fault } from '../../../base/fault.ts';
import type { ApprovalBinding, ApprovalInfo } from '../../../wire/approval.ts';
import type { ChosenNode } from '../../../wire/chosen-node.ts';
import type { Caller } from '../../../wire/exec.ts';
import { actorOf } from '../../../wire/actor.ts';
import type { AllowlistEntry, Judgement } from '../../../wire/policy.ts';
import { plainText } from '../../../wire/schema.ts';

/** The request as the gateway sent it. */
export interface SentRequest {
  readonly command: string;
  readonly caller: Caller;
  readonly env: Readonly<Record<string, string>>;
}

const LONGEST = 4096;
const MOST_ENTRIES = 64;
const MOST_ARGUMENTS = 1024;

export function copiedBinding({ command, caller, env }: SentRequest, { binding }: ApprovalInfo): ApprovalBinding {
  const { pathPrepend } = binding;
  return {
    ...actorOf(caller),
    host: 'node',
    command,
    env,
    ...(pathPrepend === undefined ? {} : { pathPrepend: pathPrepend.slice(0, MOST_ENTRIES).map(plain) }),
    pty: binding.pty,
    cwd: plain(binding.cwd),
    cwdIdentity: plain(binding.cwdIdentity),
    programs: binding.programs.slice(0, MOST_ENTRIES).map(({ real, identity, argv }) => ({
      real: plain(real),
      identity: plain(identity),
      argv: argv.slice(0, MOST_ARGUMENTS).map(plain),
    })),
    files: binding.files
      .slice(0, MOST_ENTRIES)
      .map(({ path, identity }) => ({ path: plain(path), identity: plain(identity) })),
  };
}

/** Without the stages: they repeat the programs. */
export function copiedJudgement(judgement: Judgement): Judgement {
  const { verdict, code, reason, at, hint, hintFor, explicit, proposal } = judgement;
  return {
    verdict,
    code: plain(code),
    reason: plain(reason),
    ...(at === undefined ? {} : { at }),
    ...(hint === undefined ? {} : { hint: plain(hint) }),
    ...(hintFor === undefined ? {} : { hintFor }),
    ...(explicit === undefined ? {} : { explicit }),
    ...(proposal === undefined ? {} : { proposal: copiedEntries(proposal) }),
    stages: [],
  };
}

export function copiedVariables(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const variables = Object.entries(env).slice(0, MOST_ARGUMENTS);
  return Object.fromEntries(variables.map(([name, value]) => [plain(name), plain(value)]));
}

export function copiedEntries(entries: readonly AllowlistEntry[]): readonly AllowlistEntry[] {
  return entries.slice(0, MOST_ENTRIES).map((entry) => {
    const members = Object.entries(entry).map(([name, value]) => [name, plainValue(value)]);
    return Object.fromEntries(members) as AllowlistEntry;
  });
}

function plainValue(value: AllowlistEntry[keyof AllowlistEntry]): unknown {
  if (typeof value === 'string') return plain(value);
  return Array.isArray(value) ? value.slice(0, MOST_ARGUMENTS).map((one: string) => plain(one)) : value;
}

/** On one line, without characters that control a terminal or change the direction of the text. */
export function plain(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  return plainText(short);
}

/** A person would decide about something else than what the agent asked for. */
export function otherCommand({ id, name }: ChosenNode): Fault {
  return new Fault('NODE_CANNOT', `node ${name} asks about another command than the one that it was sent`, {
    hint: 'the node does not work correctly; look at its requests there with pincer approvals list',
    details: { node: { id, name } },
  });
}
