/** Starts a container and waits until its agent has spoken: from then on the sandbox is open. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Fault } from '../../../base/fault.ts';
import { killTree } from '../../process/kill.ts';
import { processAt, type ProcessId } from '../../process/processes.ts';
import type { GuardState, OpenSandbox } from '../backend.ts';
import { check, elsewhere } from './check.ts';
import { EngineError, type Engine } from './engine.ts';
import type { MetEngine } from './options.ts';
import type { Planned } from './plan.ts';
import { SETUP_FAILED } from './request.ts';
import { attached, type Attached } from './streams.ts';
import { remove } from './sweep.ts';

const START_MS = 30_000;
/** The engine itself may be slow where many containers start at once. */
const ENGINE_MS = 120_000;
const SETUP_MS = 600_000;
/** After the end of the stream the engine knows the reason soon. */
const REASON_MS = 3_000;

/** Makes, starts and checks the container. Where it fails, nothing of it is left. */
export async function startContainer(met: MetEngine, planned: Planned, startMs = START_MS): Promise<OpenSandbox> {
  const { engine } = met;
  const { spec } = planned;
  const name = `pincer-${spec.id}-${randomBytes(4).toString('hex')}`;
  const id = await create(engine, name, planned.body);
  const leaving = new AbortController();
  try {
    const stream = attached(await attach(engine, id));
    const exit = exitOf(engine, id, leaving.signal);
    await engine.ask('POST', `/containers/${id}/start`, { timeoutMs: ENGINE_MS });
    const checked = await check(met, id, planned).catch((error: unknown) => gone(error));
    await spoken(stream, exit, { startMs, hasSetup: spec.setupCommand !== undefined });
    if (checked instanceof EngineError) throw checked;
    const first = checked;
    if (first === undefined) throw elsewhere(met.name);
    const guards = planned.guardsOf(first.pid);
    planned.letGo();
    return opened({ engine, id, first, stream, exit, planned, leaving, guards });
  } catch (error) {
    leaving.abort();
    planned.letGo();
    await remove(engine, id);
    throw error;
  }
}

/** A container that ended at once cannot be looked at any more; what it said tells why. */
function gone(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  throw error;
}

async function create(engine: Engine, name: string, body: unknown): Promise<string> {
  const made = (await engine.ask('POST', '/containers/create', { query: { name }, body, timeoutMs: ENGINE_MS })) as {
    readonly Id?: unknown;
  };
  if (typeof made.Id === 'string') return made.Id;
  throw new EngineError(0, 'the engine did not say which container it made');
}

function attach(engine: Engine, id: string) {
  const query = { stream: 'true', stdin: 'true', stdout: 'true', stderr: 'true' };
  return engine.hijack(`/containers/${id}/attach`, { query, timeoutMs: ENGINE_MS });
}

/** How it ended, in a few words; asked before it starts, so that no end is missed. */
async function exitOf(engine: Engine, id: string, signal: AbortSignal): Promise<string> {
  try {
    const told = (await engine.ask('POST', `/containers/${id}/wait`, {
      query: { condition: 'next-exit' },
      timeoutMs: 0,
      signal,
    })) as { readonly StatusCode?: unknown };
    const code = Number(told.StatusCode);
    if (code === 137) return 'the container was killed, perhaps because it ran out of memory';
    return `the container ended with code ${code}`;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (signal.aborted) return 'the container was ended';
    return error.status === 404 ? 'the container is gone' : `the engine is gone (${error.message})`;
  }
}

/** Waits for the first bytes of the agent, which are left for whoever takes over the channel. */
async function spoken(
  { channel, complaints }: Attached,
  exit: Promise<string>,
  { startMs, hasSetup }: { readonly startMs: number; readonly hasSetup: boolean },
): Promise<void> {
  const limit = startMs + (hasSetup ? SETUP_MS : 0);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it said nothing for ${limit} ms`), limit);
  });
  const first = await Promise.race([firstBytes(channel).then(() => undefined), exit, late]);
  clearTimeout(timer);
  if (first === undefined && !channel.destroyed && channel.readableLength > 0) return;
  const why = first ?? (await Promise.race([exit, late]));
  await drained(channel);
  const said = complaints();
  const failed = said.lastIndexOf(SETUP_FAILED);
  if (failed >= 0)
    throw new Fault(
      'SANDBOX_SETUP_FAILED',
      `the setup command ended with code ${said.slice(failed + SETUP_FAILED.length).trim()}`,
      {
        hint: 'correct sandbox.docker.setupCommand; it runs as the user of the container, without a network, and writes only to /workspace and /tmp',
        details: { output: said.slice(0, failed).trim() },
      },
    );
  throw new Fault('SANDBOX_UNAVAILABLE', `the agent did not start in the container: ${why}${lastLine(said)}`, {
    hint: 'see whether the image is for this kind of machine, and has /bin/sh where a setup command is set',
    details: { output: said },
  });
}

/** What it said last may still be on its way when its end is known. */
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
  channel.removeAllListeners('readable'); // whoever waits for the first bytes would hold back the rest
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

function lastLine(said: string): string {
  const line = said.split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : ` (${line})`;
}

interface Parts {
  readonly engine: Engine;
  readonly id: string;
  readonly first: ProcessId;
  readonly stream: Attached;
  readonly exit: Promise<string>;
  readonly planned: Planned;
  readonly leaving: AbortController;
  readonly guards: GuardState | undefined;
}

function opened({ engine, id, first, stream, exit, planned, leaving, guards }: Parts): OpenSandbox {
  const { channel } = stream;
  let wasEnded = false;
  const closed = new Promise<void>((resolve) => void channel.once('close', resolve));
  const late = (): Promise<string> =>
    new Promise((resolve) => setTimeout(() => resolve('its stream was closed'), REASON_MS).unref());
  const ended = Promise.race([exit, closed.then(() => Promise.race([exit, late()]))]).then(async (reason) => {
    channel.destroy();
    leaving.abort();
    await removeOrKill(engine, id, first);
    planned.release();
    return wasEnded ? 'it was ended' : reason;
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

/** A container removes itself when it ends; one whose engine is gone does not even end, so its first process is ended. */
async function removeOrKill(engine: Engine, id: string, first: ProcessId): Promise<void> {
  try {
    await remove(engine, id);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (processAt(first.pid)?.startTime === first.startTime) await killTree({ roots: [first], mark: [] }, 0);
  }
}
