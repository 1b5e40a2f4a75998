/** What is kept of a session beside its log, so that the next daemon knows it when this one dies. */
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HOST_NAMES } from '../../wire/policy.ts';
import { maskSecrets } from '../../text/secrets/mask.ts';
import { actorOf } from '../../wire/actor.ts';
import type { SessionFailure, SessionInfo } from '../../wire/session.ts';
import type { Exit } from '../process/launch.ts';
import { OutputLog } from './log/log.ts';
import { nameOf } from './names.ts';
import type { SessionStart } from './shape.ts';
import { RECORD_NAME } from './log/spill-file.ts';

/** A session of a daemon that died. */
export interface Past {
  /** As it was when it was last written down. */
  readonly info: SessionInfo;
  readonly log: OutputLog;
}

const FAILURES: readonly SessionFailure[] = ['timeout', 'aborted', 'killed', 'spawn-failed', 'lost'];
const STATES: readonly SessionInfo['status'][] = ['running', 'completed', 'failed'];

/** The text that is written beside the log, without secrets; the log itself has the output. */
export function recordOf(info: SessionInfo): string {
  const { text, masked } = maskSecrets(info.command);
  const command = masked ? { command: text, name: nameOf(text), masked } : {};
  const leftovers = info.leftovers?.map((left) => ({ ...left, command: maskSecrets(left.command).text }));
  return JSON.stringify({ ...info, ...command, ...(leftovers === undefined ? {} : { leftovers }), tail: '' });
}

/** The sessions that a daemon which died left in this folder, oldest first; what nobody can tell more about is removed. */
export async function pastSessions(folder: string, cap: number): Promise<readonly Past[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: Past[] = [];
  for (const name of names) {
    const past = await pastIn(join(folder, name), name, cap);
    if (past !== undefined) found.push(past);
    else await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined); // tried again at the next start
  }
  return found.sort((a, b) => a.info.startedAt - b.info.startedAt);
}

/** The sessions that the records of this folder call running; nothing is changed, because their daemon may live. */
export async function recordedAsRunning(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const infos = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name, RECORD_NAME), 'utf8').catch(() => ''); // it has none
      return lastRecord(text, name);
    }),
  );
  return infos.flatMap((info) => (info?.status === 'running' ? [info.id] : []));
}

/** How it ended: with the daemon, unless it had ended before. */
export function exitOf(info: SessionInfo): Exit {
  if (info.status === 'running') return { kind: 'lost' };
  if (info.exitCode !== undefined) return { kind: 'code', code: info.exitCode };
  if (info.exitSignal !== undefined) return { kind: 'signal', signal: info.exitSignal };
  if (info.failure !== 'spawn-failed') return { kind: 'lost' };
  return { kind: 'failed', reason: 'spawn-failed', message: info.failureNote ?? '' };
}

/** What it was started with, as far as that is still of use. */
export function startOf(info: SessionInfo): SessionStart {
  const { command, host, sandbox, cwd, pty, approvalId } = info;
  return {
    launch: {
      stages: [{ file: '', argv: [] }],
      cwd,
      env: {},
      streams: 'merged',
      stdin: 'closed',
      ...(pty === undefined ? {} : { pty }),
    },
    caller: actorOf(info),
    command,
    host,
    ...(sandbox === true ? { sandbox } : {}),
    timeout: info.failure === 'timeout' ? Number(info.failureNote) || 0 : 0,
    background: info.backgrounded || info.status === 'running',
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

async function pastIn(folder: string, id: string, cap: number): Promise<Past | undefined> {
  try {
    const info = lastRecord(await readFile(join(folder, RECORD_NAME), 'utf8'), id);
    if (info === undefined) return undefined;
    const size = await logSize(join(folder, 'log'));
    if (size !== undefined) return { info, log: OutputLog.reopened(folder, cap, size) };
  } catch {
    // It cannot be read: it is as if there was nothing.
  }
  return undefined;
}

/** Zero where the command had printed nothing; undefined for what is no file. */
async function logSize(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return 0;
  return stats.isFile() ? stats.size : undefined;
}

/** The newest line that is whole. */
function lastRecord(text: string, id: string): SessionInfo | undefined {
  for (const line of text.split('\n').reverse()) {
    const info = readInfo(parsed(line), id);
    if (info !== undefined) return info;
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined; // empty, or cut short
  }
}

/** Only what has the form of what was written: it may have been cut short, or come from another version. */
function readInfo(said: unknown, id: string): SessionInfo | undefined {
  if (typeof said !== 'object' || said === null) return undefined;
  const info = said as SessionInfo;
  const { agent, client, command, name, cwd, conversation, approvalId, exitSignal, failureNote } = info;
  const isText = [agent, command, name, cwd].every((text) => typeof text === 'string');
  const maybeText = [client, conversation, approvalId, exitSignal, failureNote].every(
    (text) => text === undefined || typeof text === 'string',
  );
  const { startedAt, endedAt, exitCode, lastOutputAt, pty } = info;
  const maybeNumber = [endedAt, exitCode, lastOutputAt, pty?.cols, pty?.rows].every(
    (number) => number === undefined || Number.isFinite(number),
  );
  const isKnown =
    STATES.includes(info.status) &&
    HOST_NAMES.includes(info.host) &&
    (info.failure === undefined || FAILURES.includes(info.failure));
  return info.id === id && isText && maybeText && Number.isFinite(startedAt) && maybeNumber && isKnown
    ? info
    : undefined;
}
