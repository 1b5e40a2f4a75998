/** One sentence about what really happens to an agent's commands and files, from the values that decide about them. */
import { Fault } from '../../base/fault.ts';
import { effectivePolicy } from '../../policy/effective.ts';
import type { Caller } from '../../wire/exec.ts';
import type { EffectivePolicy } from '../../wire/rpc.ts';
import type { BackendName, SandboxSettings } from '../../wire/sandbox.ts';
import { isSandboxed } from '../sandbox/owner.ts';
import { chooseHost } from './host-choice.ts';
import type { Said } from './prepare.ts';

/** What happens to a command: `open` is this machine without a judgement. */
export type PostureKind = 'open' | 'judged' | 'sandboxed' | 'denied';

export interface Posture {
  readonly kind: PostureKind;
  readonly effective: EffectivePolicy;
  /** What makes the sandbox that file tools run in, and commands with host=sandbox; absent where sandboxing is off. */
  readonly sandbox?: BackendName;
  /** Whether `security` and `ask` decide about commands. */
  readonly isJudged: boolean;
  /** What happens to a command. */
  readonly commands: string;
  /** What happens to a file tool. */
  readonly files: string;
  /** The command line that gives more protection; present where commands are not judged on this machine. */
  readonly change?: string;
}

/** The posture of a caller, with what the operator, the approvals file and the conversation say. */
export function postureOf(said: Said, caller: Caller): Posture {
  const { settings, approvals, conversation } = said;
  const effective = effectivePolicy({ config: settings, conversation, call: {}, approvals });
  const mayBeInside = isSandboxed(settings.sandbox, caller);
  const found = commandsOf(said, effective, mayBeInside);
  return {
    ...found,
    effective,
    isJudged: effective.host !== 'sandbox',
    ...(mayBeInside ? { sandbox: settings.sandbox.backend } : {}),
    files: filesOf(settings.sandbox, mayBeInside),
  };
}

/** The values with the layers that they come from; those that decide about nothing are said to be so. */
export function valuesText({ effective, isJudged }: Pick<Posture, 'effective' | 'isJudged'>): string {
  const { host, security, ask, askFallback, from } = effective;
  const others = [
    `security=${security} (${from.security})`,
    `ask=${ask} (${from.ask})`,
    `askFallback=${askFallback} (${from.askFallback})`,
  ].join(', ');
  return `host=${host} (${from.host})${isJudged ? `, ${others}` : `; not in force: ${others}`}`;
}

type Commands = Pick<Posture, 'kind' | 'commands' | 'change'>;

function commandsOf(said: Said, effective: EffectivePolicy, mayBeInside: boolean): Commands {
  const { settings, approvals } = said;
  const { security, ask, from } = effective;
  if (!settings.execAllowed) return { kind: 'denied', commands: 'commands are refused: the tool exec is denied' };
  let sandboxed: boolean;
  try {
    ({ sandboxed } = chooseHost({ command: '' }, effective, mayBeInside));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'denied', commands: `commands fail: host=${effective.host} (${from.host}), and ${error.message}` };
  }
  if (sandboxed)
    return {
      kind: 'sandboxed',
      commands: `commands run in a sandbox (${settings.sandbox.backend}) and are not judged: the sandbox is the boundary`,
    };
  const here = mayBeInside ? 'on this machine (not in a sandbox)' : 'on this machine';
  if (effective.host === 'sandbox')
    return {
      kind: 'open',
      commands: `commands run ${here} and are not judged: host=sandbox (${from.host}), and sandboxing is off`,
      change: 'pincer config set tools.exec.host gateway',
    };
  const by = `security=${security} (${from.security}), ask=${ask} (${from.ask})`;
  if (security === 'deny')
    return { kind: 'denied', commands: `commands are refused: security=deny (${from.security})` };
  if (security === 'full' && ask === 'always')
    return { kind: 'judged', commands: `every command asks a person before it runs ${here}: ${by}` };
  if (security === 'full') {
    const denied = approvals.deny.length + settings.denyRules.length;
    const but = denied === 0 ? '' : `, except by ${denied} deny ${denied === 1 ? 'rule' : 'rules'}`;
    return {
      kind: 'open',
      commands: `commands run ${here} and are not judged${but}: ${by}`,
      change: 'pincer config set tools.exec.security allowlist',
    };
  }
  const others = { off: 'others are refused', 'on-miss': 'others ask a person', always: 'every command asks a person' };
  return { kind: 'judged', commands: `commands run ${here} when a rule allows them, ${others[ask]}: ${by}` };
}

function filesOf({ workspaceAccess, backend }: SandboxSettings, mayBeInside: boolean): string {
  if (!mayBeInside) return 'file tools work on this machine, within the workspace';
  const access = { none: 'a private workspace', ro: 'the workspace for reading', rw: 'the workspace' }[workspaceAccess];
  return `file tools run in the sandbox (${backend}), with ${access}`;
}
