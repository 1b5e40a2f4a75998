import type { NodeInfo } from '../../../wire/nodes/node.ts';
import type { Tone } from '../../components/chip.tsx';
import type { IconName } from '../../components/icon.tsx';
import { ageText } from '../../text/times.ts';

export interface NodeState {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
}

/** The state of a node in words; the first that applies. */
export function nodeState({ state, connected, clonedAt, lastSeenAt, offer }: NodeInfo, now: number): NodeState {
  if (state === 'pending') return { tone: 'ask', icon: 'clock', text: 'Waits for pairing' };
  if (state === 'revoked') return { tone: 'muted', icon: 'no', text: 'Removed' };
  if (clonedAt !== undefined) return { tone: 'no', icon: 'warn', text: 'Refused: two machines used its key' };
  if (!connected) {
    const since = lastSeenAt === undefined ? 'Offline' : `Offline for ${ageText(now - lastSeenAt)}`;
    return { tone: 'muted', icon: 'off', text: since };
  }
  if (offer.unconfirmed === true) return { tone: 'ask', icon: 'warn', text: 'Online, not confirmed there' };
  return { tone: 'ok', icon: 'ok', text: 'Online' };
}

const FILES = { none: undefined, ro: 'files (read only)', rw: 'files' } as const;

/** What the node itself allows: `commands, terminals, files`. */
export function offerText({ offer }: NodeInfo): string {
  const isRunning = offer.exec === 'judged' && offer.sandboxUnavailable !== true;
  const parts = [
    isRunning ? (offer.sandbox === true ? 'commands in a sandbox' : 'commands') : undefined,
    isRunning && offer.pty ? 'terminals' : undefined,
    FILES[offer.files],
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

export function systemText({ platform }: NodeInfo): string {
  return platform === 'darwin' ? 'macOS' : 'Linux';
}

/** `4829 1357`, as both screens show it. */
export function digitsText(code: string): string {
  return `${code.slice(0, 4)} ${code.slice(4)}`;
}
