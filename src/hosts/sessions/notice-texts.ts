import { replaceHidden } from '../../base/hidden-characters.ts';
import type { HostName } from '../../wire/exec.ts';
import type { SessionInfo } from '../../wire/session.ts';
import { maskSecrets } from '../../text/secrets/mask.ts';
import { plainText } from './log/plain-text.ts';

const TAIL = 400;
const SQUEEZED = 180;
const LONGEST_COMMAND = 1000;

/** A background session has ended: `Exec completed (brisk-ot, code 0) :: …`. */
export function exitText(session: SessionInfo): string {
  const status = session.status === 'completed' ? 'completed' : 'failed';
  const tail = lastOf(squeezed(lastOf(session.tail, TAIL)), SQUEEZED);
  const text = `Exec ${status} (${session.id.slice(0, 8)}, ${endOf(session)})`;
  return tail === '' ? text : `${text} :: ${tail}`;
}

/** A session was running when the daemon died. */
export function lostExitText(sessionId: string): string {
  return `Exec failed (${sessionId.slice(0, 8)}, lost) :: the daemon died while it ran`;
}

/** Where an approved command runs: `gateway`, or `node=mac`. */
interface Where {
  readonly host: HostName;
  readonly node?: { readonly name: string } | undefined;
}

function whereText({ host, node }: Where): string {
  return node === undefined ? host : `node=${node.name}`;
}

/** An approved command takes long; sent once. */
export function runningText(
  running: Where & {
    readonly approvalId: string;
    readonly sessionId: string;
    readonly afterMs: number;
    readonly command: string;
  },
): string {
  const seconds = Math.max(1, Math.round(running.afterMs / 1000));
  const where = `${whereText(running)} id=${running.approvalId}, session=${running.sessionId}, >${seconds}s`;
  return `Exec running (${where}): ${shownCommand(running.command)}`;
}

/** An approved command has ended; the tail of its output follows on the next line. */
export function finishedText(session: SessionInfo): string {
  const where = `${whereText(session)} id=${session.approvalId ?? ''}, session=${session.id}`;
  const text = `Exec finished (${where}, ${endOf(session)})`;
  const tail = squeezed(lastOf(session.tail, TAIL));
  return tail === '' ? text : `${text}\n${tail}`;
}

/** An approved command was running or starting when the daemon died. */
export function lostText(
  lost: Where & {
    readonly approvalId: string;
    readonly sessionId: string | undefined;
    readonly command: string;
  },
): string {
  const session = lost.sessionId === undefined ? '' : `, session=${lost.sessionId}`;
  const why = lost.node === undefined ? 'the daemon died while it ran' : 'the node no longer has it';
  return `Exec finished (${whereText(lost)} id=${lost.approvalId}${session}, lost)\n${why}: ${shownCommand(lost.command)}`;
}

/** `key`: that of a request whose caller may know only its key. */
export function deniedText(
  denied: Where & {
    readonly approvalId: string;
    readonly key?: string | undefined;
    readonly reason: string;
    readonly command: string;
  },
): string {
  const { approvalId, key, reason, command } = denied;
  const ids = `id=${approvalId}${key === undefined ? '' : ` key=${key}`}`;
  return `Exec denied (${whereText(denied)} ${ids}, ${reason}): ${shownCommand(command)}`;
}

/** What became of a request to a node whose caller got no answer: `Exec never ran (node=mac, key=…): uname -n`. */
export function requestText(
  { node, key, command }: { readonly node: { readonly name: string }; readonly key: string; readonly command: string },
  outcome:
    | { readonly kind: 'started'; readonly session: string }
    | { readonly kind: 'never' }
    | { readonly kind: 'denied'; readonly message: string }
    | { readonly kind: 'lost'; readonly why: string },
): string {
  const where = `node=${node.name}, key=${key}`;
  const what = shownCommand(command);
  switch (outcome.kind) {
    case 'started':
      return `Exec started (${where}, session=${outcome.session}): ${what}`;
    case 'never':
      return `Exec never ran (${where}): ${what}`;
    case 'denied':
      return `Exec denied (${where}, ${squeezed(outcome.message)}): ${what}`;
    case 'lost':
      return `Exec outcome unknown (${where}, ${outcome.why}): ${what}`;
  }
}

/** `code 0`, `signal SIGTERM`, or the failure. */
function endOf({ exitCode, exitSignal, failure }: SessionInfo): string {
  if (failure === 'timeout') return failure; // whether the signal ended it, or it exited because of the signal
  if (exitCode !== undefined) return `code ${exitCode}`;
  return exitSignal === undefined ? (failure ?? 'running') : `signal ${exitSignal}`;
}

/** On one line, so that output cannot imitate a notice. */
function squeezed(text: string): string {
  return plainText(text).replaceAll(/\s+/gu, ' ').trim();
}

function lastOf(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `…${characters.slice(1 - length).join('')}`;
}

/** A command on one line with masked secrets; shows invisible characters by their code points. */
function shownCommand(command: string): string {
  const { text } = maskSecrets(command);
  const characters = [...text];
  const short = characters.length > LONGEST_COMMAND ? `${characters.slice(0, LONGEST_COMMAND).join('')}…` : text;
  return replaceHidden(short, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return character === '\r' ? '\\r' : `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
