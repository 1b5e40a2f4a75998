/** The record of a session in the folder of its log, from which the next daemon restores it if this one dies. */
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
import { CastFile, type ExistingCast } from './recording/cast-file.ts';

export interface PastSession {
  readonly info: SessionInfo;
  readonly log: OutputLog;
  readonly recording?: ExistingCast;
}

const FAILURES: readonly SessionFailure[] = ['timeout', 'aborted', 'killed', 'spawn-failed', 'lost'];
const STATES: readonly SessionInfo['status'][] = ['running', 'completed', 'failed'];

/** The record, with masked secrets; the output is in the log only. */
export function recordOf(info: SessionInfo): string {
  const { text, masked } = maskSecrets(info.command);
  const command = masked ? { command: text, name: nameOf(text), masked } : {};
  const leftovers = info.leftovers?.map((left) => ({ ...left, command: maskSecrets(left.command).text }));
  return JSON.stringify({ ...info, ...command, ...(leftovers === undefined ? {} : { leftovers }), tail: '' });
}

/** The sessions that a dead daemon left in this folder, oldest first. Removes folders without a valid record. */
export async function pastSessions(folder: string, cap: number): Promise<readonly PastSession[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: PastSession[] = [];
  for (const name of names) {
    const past = await pastIn(join(folder, name), name, cap);
    if (past !== undefined) found.push(past);
    else await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined); // the next start tries again
  }
  return found.sort((a, b) => a.info.startedAt - b.info.startedAt);
}

/** The ids that are recorded as running. Changes nothing, because their daemon may be alive. */
export async function recordedAsRunning(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const infos = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name, RECORD_NAME), 'utf8').catch(() => ''); // it has no record
      return lastRecord(text, name);
    }),
  );
  return infos.flatMap((info) => (info?.status === 'running' ? [info.id] : []));
}

/** How a session ended: it was lost with its daemon, unless it had ended before. */
export function exitOf(info: SessionInfo): Exit {
  if (info.status === 'running') return { kind: 'lost' };
  if (info.exitCode !== undefined) return { kind: 'code', code: info.exitCode };
  if (info.exitSignal !== undefined) return { kind: 'signal', signal: info.exitSignal };
  if (info.failure !== 'spawn-failed') return { kind: 'lost' };
  return { kind: 'failed', reason: 'spawn-failed', message: info.failureNote ?? '' };
}

/** The parts of its start that are still needed. */
export function startOf(info: SessionInfo): SessionStart {
  const { command, host, node, sandbox, cwd, pty, approvalId } = info;
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
    ...(info.masked === true ? { masked: true as const } : {}),
    host,
    ...(node === undefined ? {} : { node }),
    ...(sandbox === true ? { sandbox } : {}),
    timeout: info.failure === 'timeout' ? Number(info.failureNote) || 0 : 0,
    background: info.backgrounded || info.status === 'running',
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

async function pastIn(folder: string, id: string, cap: number): Promise<PastSession | undefined> {
  try {
    const info = lastRecord(await readFile(join(folder, RECORD_NAME), 'utf8'), id);
    if (info === undefined) return undefined;
    const size = await logSize(join(folder, 'log'));
    const recording = info.pty === undefined ? undefined : await CastFile.existing(folder);
    const log = size === undefined ? undefined : OutputLog.reopened(folder, cap, size);
    if (log !== undefined) return { info, log, ...(recording === undefined ? {} : { recording }) };
  } catch {
    // Unreadable: the caller removes it.
  }
  return undefined;
}

/** Zero if the command had no output; undefined if the log is not a regular file. */
async function logSize(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return 0;
  return stats.isFile() ? stats.size : undefined;
}

/** The newest complete record. */
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
    return undefined; // empty or truncated
  }
}

/** Accepts only valid records: one may be truncated, or come from another version. */
function readInfo(value: unknown, id: string): SessionInfo | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const info = value as SessionInfo;
  const { agent, client, command, name, cwd, conversation, approvalId, exitSignal, failureNote } = info;
  const { node } = info;
  const isText = [agent, command, name, cwd, ...(node === undefined ? [] : [node?.id, node?.name])].every(
    (text) => typeof text === 'string',
  );
  const maybeText = [client, conversation, approvalId, exitSignal, failureNote, node?.from].every(
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
