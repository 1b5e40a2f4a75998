/** Starts a container and waits for the first bytes of its agent: from then on the sandbox is open. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Fault } from '../../../base/fault.ts';
import { killTree } from '../../process/kill.ts';
import { processAt, type ProcessId } from '../../process/processes.ts';
import type { GuardState, OpenSandbox } from '../backend.ts';
import { checkContainer, notInspectable } from './check-container.ts';
import { EngineError, type Engine } from './engine.ts';
import type { ConnectedEngine } from './options.ts';
import type { PlannedContainer } from './plan.ts';
import { SETUP_FAILED } from './request.ts';
import { attachStream, type AttachedStream } from './attach-stream.ts';
import { removeContainer } from './sweep.ts';

const START_MS = 30_000;
/** The engine may be slow while many containers start. */
const ENGINE_MS = 120_000;
const SETUP_MS = 600_000;
/** How long the engine may take to report the reason after the stream has ended. */
const REASON_MS = 3_000;

/** Creates, starts and checks the container. On failure it is removed. */
export async function startContainer(
  connected: ConnectedEngine,
  planned: PlannedContainer,
  startMs = START_MS,
): Promise<OpenSandbox> {
  const { engine } = connected;
  const { spec } = planned;
  const name = `pincer-${spec.id}-${randomBytes(4).toString('hex')}`;
  const id = await create(engine, name, planned.body);
  const abort = new AbortController();
  try {
    const stream = attachStream(await attach(engine, id));
    const exit = exitOf(engine, id, abort.signal);
    await engine.ask('POST', `/containers/${id}/start`, { timeoutMs: ENGINE_MS });
    const checked = await checkContainer(connected, id, planned).catch(onlyEngineError);
    await agentStarted(stream, exit, { startMs, hasSetup: spec.setupCommand !== undefined });
    if (checked instanceof EngineError) throw checked;
    const first = checked;
    if (first === undefined) throw notInspectable(connected.name);
    const guards = planned.guardsOf(first.pid);
    planned.closeHandles();
    return opened({ engine, id, first, stream, exit, planned, abort, guards });
  } catch (error) {
    abort.abort();
    planned.closeHandles();
    await removeContainer(engine, id);
    throw error;
  }
}

/** A container that ended immediately cannot be inspected any more; its stderr has the reason. */
function onlyEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  throw error;
}

async function create(engine: Engine, name: string, body: unknown): Promise<string> {
  const created = (await engine.ask('POST', '/containers/create', { query: { name }, body, timeoutMs: ENGINE_MS })) as {
    readonly Id?: unknown;
  };
  if (typeof created.Id === 'string') return created.Id;
  throw new EngineError(0, 'the engine did not return a container id');
}

function attach(engine: Engine, id: string) {
  const query = { stream: 'true', stdin: 'true', stdout: 'true', stderr: 'true' };
  return engine.hijack(`/containers/${id}/attach`, { query, timeoutMs: ENGINE_MS });
}

/** Why the container ended. Called before it starts, so that no exit is missed. */
async function exitOf(engine: Engine, id: string, signal: AbortSignal): Promise<string> {
  try {
    const answer = (await engine.ask('POST', `/containers/${id}/wait`, {
      query: { condition: 'next-exit' },
      timeoutMs: 0,
      signal,
    })) as { readonly StatusCode?: unknown };
    const code = Number(answer.StatusCode);
    if (code === 137) return 'the container was killed, possibly because it ran out of memory';
    return `the container exited with code ${code}`;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (signal.aborted) return 'pincer ended the container';
    return error.status === 404 ? 'the container was removed' : `the engine does not answer (${error.message})`;
  }
}

/** Waits for the first bytes of the agent and leaves them in the channel. */
async function agentStarted(
  { channel, stderr }: AttachedStream,
  exit: Promise<string>,
  { startMs, hasSetup }: { readonly startMs: number; readonly hasSetup: boolean },
): Promise<void> {
  const limit = startMs + (hasSetup ? SETUP_MS : 0);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no output within ${limit} ms`), limit);
  });
  const first = await Promise.race([firstBytes(channel).then(() => undefined), exit, late]);
  clearTimeout(timer);
  if (first === undefined && !channel.destroyed && channel.readableLength > 0) return;
  const why = first ?? (await Promise.race([exit, late]));
  await drained(channel);
  const output = stderr();
  const failed = output.lastIndexOf(SETUP_FAILED);
  if (failed >= 0)
    throw new Fault(
      'SANDBOX_SETUP_FAILED',
      `the setup command exited with code ${output.slice(failed + SETUP_FAILED.length).trim()}`,
      {
        hint: 'correct sandbox.docker.setupCommand; it runs as the user of the container, without a network, and writes only to /workspace and /tmp',
        details: { output: output.slice(0, failed).trim() },
      },
    );
  throw new Fault('SANDBOX_UNAVAILABLE', `the agent did not start in the container: ${why}${lastLine(output)}`, {
    hint: 'check that the image is for this CPU architecture, and that it has /bin/sh where a setup command is set',
    details: { output },
  });
}

/** The last output may arrive after the exit is known. */
async function drained(channel: Duplex): Promise<void> {
  if (channel.readableEnded || channel.destroyed) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, REASON_MS);
  });
  const over = new Promise<void>((resolve) => {
    channel.once('end', resolve);
    channel.once('close', resolve);
  });
  channel.removeAllListeners('readable'); // the listener for the first bytes would block the rest
  channel.resume();
  await Promise.race([over, late]);
  clearTimeout(timer);
}

function firstBytes(channel: Duplex): Promise<void> {
  return new Promise((resolve) => {
    channel.once('readable', resolve);
    channel.once('end', resolve);
    channel.once('close', resolve);
    channel.once('error', () => resolve());
  });
}

function lastLine(output: string): string {
  const line = output.split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : ` (${line})`;
}

interface Parts {
  readonly engine: Engine;
  readonly id: string;
  readonly first: ProcessId;
  readonly stream: AttachedStream;
  readonly exit: Promise<string>;
  readonly planned: PlannedContainer;
  readonly abort: AbortController;
  readonly guards: GuardState | undefined;
}

function opened({ engine, id, first, stream, exit, planned, abort, guards }: Parts): OpenSandbox {
  const { channel } = stream;
  let wasEnded = false;
  const closed = new Promise<void>((resolve) => void channel.once('close', resolve));
  const late = (): Promise<string> =>
    new Promise((resolve) => setTimeout(() => resolve('its stream closed'), REASON_MS).unref());
  const ended = Promise.race([exit, closed.then(() => Promise.race([exit, late()]))]).then(async (reason) => {
    channel.destroy();
    abort.abort();
    await removeOrKill(engine, id, first);
    planned.release();
    return wasEnded ? 'pincer ended it' : reason;
  });
  return {
    channel,
    pid: first.pid,
    ownProcesses: true,
    ...(guards === undefined ? {} : { guards }),
    ended,
    async end() {
      wasEnded = true;
      await removeOrKill(engine, id, first);
      channel.destroy();
      await ended;
    },
  };
}

/** A container is removed when it ends. Without its engine it does not end, so its first process is killed. */
async function removeOrKill(engine: Engine, id: string, first: ProcessId): Promise<void> {
  try {
    await removeContainer(engine, id);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (processAt(first.pid)?.startTime === first.startTime) await killTree({ roots: [first], mark: [] }, 0);
  }
}
