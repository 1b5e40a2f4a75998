/** The sandboxes of this machine: created on demand, shared by callers with the same owner and settings, replaced when the settings change. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import { actorOf } from '../../wire/actor.ts';
import type { ObeyedChange, SandboxInfo, SandboxSettings } from '../../wire/sandbox.ts';
import type { ToolCall, ToolResult } from '../../wire/tool.ts';
import { noteGuarded } from '../files/gate/guarded.ts';
import type { Launch, Launched, Launcher, Listener } from '../process/launch.ts';
import type { Backend, Probe, SandboxSpec } from './backend.ts';
import type { EgressConnection, EgressRefusal } from './egress/egress.ts';
import type { InsideLink, LinkOptions } from './link/link.ts';
import type { SandboxPlace } from './owner.ts';
import { SandboxInstance, type Work } from './sandboxes/sandbox-instance.ts';
import { type LostGuard, lostGuardText } from './sandboxes/obeyed-text.ts';
import { createProbeCache } from './sandboxes/probe-cache.ts';
import { obeyedText } from './sandboxes/obeyed-text.ts';
import type { Report } from './sandboxes/obeyed-watch.ts';

export interface SandboxesOptions {
  /** The folder `sandboxes` of the state folder; it contains the private workspaces. */
  readonly folder: string;
  /** Called once per backend and engine settings. */
  backendFor(settings: SandboxSettings): Promise<Backend>;
  /** Connects to the agent inside over its channel. */
  connect(channel: Duplex, options: LinkOptions): Promise<InsideLink> | InsideLink;
  readonly now?: () => number;
  /** How often idle sandboxes are pruned (default: every minute). */
  readonly pruneEveryMs?: number;
  readonly onRefused?: (place: SandboxPlace, refusal: EgressRefusal) => void;
  readonly onAllowed?: (place: SandboxPlace, connection: EgressConnection) => void;
  /** Called for a sandbox that ended unexpectedly. */
  readonly onBroken?: (sandbox: SandboxInfo, reason: string) => void;
  /** Called for an error of pincer that ended a sandbox. */
  readonly onDefect?: (error: unknown) => void;
  /** Receives obeyed files that work in a sandbox created or changed; returns what was done about each. */
  readonly onObeyed?: (place: SandboxPlace, workspace: string, ...found: Parameters<Report>) => ReturnType<Report>;
  /** Called once per path when a guard is lost or missing while work runs in a sandbox. */
  readonly onGuardLost?: (place: SandboxPlace, lost: readonly LostGuard[]) => void;
  /** Egress options other than the allowlist. */
  readonly egress?: Pick<NonNullable<LinkOptions['egress']>, 'resolve' | 'permitted'>;
}

export interface CallToolOptions {
  readonly signal?: AbortSignal | undefined;
  /** Use only a sandbox that already runs; throws SANDBOX_NOT_RUNNING where there is none, or where it accepts no work. */
  readonly onlyRunning?: boolean;
}

export interface Sandboxes {
  runnerOf(place: SandboxPlace): Pick<Launcher, 'launch'>;
  /** Creates the sandbox of a place, if there is none. */
  open(place: SandboxPlace): Promise<SandboxInfo>;
  /** Runs a file tool inside; with `onlyRunning` no sandbox is created or replaced. */
  callTool(place: SandboxPlace, call: ToolCall, options?: CallToolOptions): Promise<ToolResult>;
  probe(settings: SandboxSettings): Promise<Probe>;
  /** Whether a sandbox has a record of changes, which is lost when the sandbox ends. */
  hasRecord(): boolean;
  /** Throws a fault where no sandbox accepts work for a place and its backend does not work. */
  requireWorking(place: SandboxPlace): Promise<void>;
  list(): readonly SandboxInfo[];
  /** Ends the sandboxes of an agent, or all, with all of their processes. */
  end(agent?: string): Promise<readonly SandboxInfo[]>;
  /** The sandboxes that an agent uses. */
  of(agent: string): readonly SandboxInfo[];
  close(): Promise<void>;
}

const PRUNE_MS = 60_000;
const MOST_RESERVED = 64;
const RECORDED: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch', 'path']);
/** Sandboxes to try for one piece of work. */
const MOST_TRIES = 3;
const RECREATED = 'it is being recreated';
/** Codes that the launcher of an ended sandbox throws; it has not started the command then. */
const UNSTARTED: ReadonlySet<string> = new Set(['EXEC_CLOSED', 'SANDBOX_BROKEN']);

export function createSandboxes(options: SandboxesOptions): Sandboxes {
  const { now = Date.now } = options;
  const probes = createProbeCache(now);
  const backends = new Map<string, Promise<Backend>>();
  /** The sandboxes that accept new work, by key and hash of their place. */
  const current = new Map<string, Promise<SandboxInstance>>();
  const instances = new Set<SandboxInstance>();
  let closing = false;

  const pruner = setInterval(prune, options.pruneEveryMs ?? PRUNE_MS);
  pruner.unref();

  function prune(): void {
    for (const instance of instances)
      if (instance.isIdle && instance.idleMs >= instance.place.settings.pruneAfterMs)
        instance.retire('it was not used');
  }

  function backendOf(settings: SandboxSettings): Promise<Backend> {
    const { setupCommand: _, ...engine } = settings.container; // the settings that a backend depends on
    const key = JSON.stringify([settings.backend, settings.backend === 'bubblewrap' ? {} : engine]);
    const known = backends.get(key);
    if (known !== undefined) return known;
    const backend = options.backendFor(settings);
    backends.set(key, backend);
    backend.catch(() => backends.delete(key));
    return backend;
  }

  /** The sandbox of a place: the existing one, or a new one. Concurrent callers share it. */
  async function instanceOf(place: SandboxPlace): Promise<SandboxInstance> {
    const name = nameOf(place);
    for (;;) {
      if (closing)
        throw new Fault('EXEC_CLOSING', 'the daemon is closing and creates no more sandboxes', {
          hint: 'try again in a moment',
        });
      releaseOutdated(place);
      const pending = current.get(name) ?? begin(name, place);
      const instance = await pending;
      if (instance.takesWork && checkGuards(instance)) return instance;
      forget(name, pending);
    }
  }

  /**
   * Retires an idle sandbox whose guards are lost, or that lacks guards for new obeyed files, and returns false. Throws
   * SANDBOX_GUARD_LOST while work runs in it.
   */
  function checkGuards(instance: SandboxInstance, unguarded: readonly LostGuard[] = [], mayReplace = true): boolean {
    const lost = [...instance.lostGuards(), ...unguarded];
    const [first, ...others] = lost;
    if (first === undefined) return true;
    if (!instance.isRunning && mayReplace) {
      instance.retire('files that the host obeys were replaced or created on the host');
      return false;
    }
    const fresh = instance.newlyLost(lost);
    if (fresh.length > 0) options.onGuardLost?.(instance.place, fresh);
    throw guardLost(instance, [first, ...others]);
  }

  /** Begins work in the sandbox of a place; a sandbox with lost guards is replaced first. */
  async function workIn(place: SandboxPlace): Promise<{ readonly instance: SandboxInstance; readonly work: Work }> {
    const earlier: ObeyedChange[] = [];
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const instance = await instanceOf(place);
      // Bounded, because a program that keeps creating such files would cause a new sandbox each time.
      const { work, obeyed } = await instance.begin(place.agent, (unguarded) =>
        checkGuards(instance, unguarded, tries < MOST_TRIES),
      );
      earlier.push(...obeyed);
      if (work !== undefined) return { instance, work: { ...work, obeyed: earlier } };
    }
    throw new Fault('SANDBOX_BROKEN', `${MOST_TRIES} sandboxes ended before work could begin in them`, {
      hint: 'run "pincer sandbox explain", then try again',
    });
  }

  /** Begins work in the running sandbox of a place. It is not replaced, because its record of changes would be lost. */
  async function workInRunning(place: SandboxPlace): ReturnType<typeof workIn> {
    const instance = await current.get(nameOf(place))?.catch(() => undefined);
    if (instance?.takesWork !== true) throw notRunning(`no sandbox of ${place.owner} runs for ${place.folder}`);
    const { id, owner } = instance.info();
    const { work } = await instance.begin(place.agent, (unguarded) => {
      const [first, ...others] = [...instance.lostGuards(), ...unguarded];
      if (first === undefined) return true;
      throw notRunning(
        `${lostGuardText(first, moreText(others))}, so the sandbox ${id} of ${owner} accepts no more work`,
      );
    });
    if (work === undefined) throw notRunning(`the sandbox ${id} of ${owner} has ended`);
    return { instance, work };
  }

  function begin(name: string, place: SandboxPlace): Promise<SandboxInstance> {
    const pending = create(place);
    current.set(name, pending);
    pending.catch(() => forget(name, pending));
    return pending;
  }

  function forget(name: string, instance: Promise<SandboxInstance>): void {
    if (current.get(name) === instance) current.delete(name);
  }

  /** Releases the agent's sandboxes of an earlier configuration, of any backend; another agent may still use them. */
  function releaseOutdated({ folder, hash, agent }: SandboxPlace): void {
    for (const instance of instances)
      if (instance.place.folder === folder && instance.place.hash !== hash)
        instance.release(agent, 'its configuration has changed');
  }

  async function create(place: SandboxPlace): Promise<SandboxInstance> {
    const { settings } = place;
    const backend = await backendOf(settings);
    await probes.requireWorking(backend);
    const spec = specOf(place, options.folder);
    const opened = await backend.open(spec).catch((error: unknown) => {
      probes.forget(backend);
      throw error;
    });
    try {
      const egress = egressOf(place);
      const { HOME: home } = settings.env;
      const link = await options.connect(opened.channel, {
        breakDown: (_, defect) => {
          if (defect !== undefined) options.onDefect?.(defect);
          opened.end().catch(() => {}); // `ended` reports the outcome
        },
        ...(egress === undefined ? {} : { egress }),
        ...(spec.limits.pids === undefined || opened.ownProcesses !== true
          ? {}
          : { mostTasks: tasksForCommands(spec.limits.pids) }),
        ...(home === undefined ? {} : { places: { home } }),
      });
      await link.ready;
      const { onObeyed } = options;
      const instance = new SandboxInstance({
        place,
        spec,
        opened,
        link,
        now,
        ...(onObeyed && { onObeyed: (...found) => onObeyed(place, spec.workspace, ...found) }),
      });
      instances.add(instance);
      const guarded = opened.guards?.paths.map((path) => join(spec.workspace, path)) ?? [];
      const forgetGuarded = noteGuarded(dirname(options.folder), spec.id, guarded);
      void instance.ended.then((reason) => {
        forgetGuarded();
        onEnded(instance, reason);
      });
      return instance;
    } catch (error) {
      await opened.end();
      throw error;
    }
  }

  async function isRunning(place: SandboxPlace): Promise<boolean> {
    return (await current.get(nameOf(place)))?.takesWork === true;
  }

  function egressOf(place: SandboxPlace): LinkOptions['egress'] {
    const { networkAllow: allow } = place.settings;
    if (allow.length === 0) return undefined;
    return {
      allow,
      ...options.egress,
      onRefused: (refusal) => options.onRefused?.(place, refusal),
      onAllowed: (connection) => options.onAllowed?.(place, connection),
    };
  }

  function onEnded(instance: SandboxInstance, reason: string): void {
    instances.delete(instance);
    if (!instance.wasEndedByPincer) options.onBroken?.(instance.info(), reason);
  }

  /** If the sandbox ended just before the launch, nothing was started, and the command is launched in a new one. */
  async function launchIn(place: SandboxPlace, launch: Launch, listener: Listener): Promise<Launched> {
    const { instance, work } = await workIn(place);
    try {
      return await instance.launch(work, launch, listener);
    } catch (error) {
      if (!instance.isOver || !(error instanceof Fault) || !UNSTARTED.has(error.code)) throw error;
      const again = await workIn(place);
      return again.instance.launch(again.work, launch, listener);
    }
  }

  async function endSandboxes(agent: string | undefined, why: string): Promise<readonly SandboxInfo[]> {
    await Promise.allSettled(current.values());
    const ending = [...instances].filter((instance) => agent === undefined || instance.isOf(agent));
    const infos = ending.map((instance) => instance.info());
    await Promise.all(ending.map((instance) => instance.end(why)));
    return infos;
  }

  return {
    runnerOf: (place) => ({ launch: (launch, listener) => launchIn(place, launch, listener) }),
    open: async (place) => (await instanceOf(place)).info(),
    async callTool(place, { tool, args, context }, { signal, onlyRunning = false } = {}) {
      const { instance, work } = await (onlyRunning ? workInRunning(place) : workIn(place));
      const { result, obeyed } = await instance.using(work, (link) =>
        link.callTool(tool, args, { ...context, ...actorOf(place) }, signal === undefined ? {} : { signal }),
      );
      if (RECORDED.has(tool) && result.isError !== true) instance.noteRecord();
      return withObeyed({ ...result, details: { ...result.details, sandbox: true } }, obeyed);
    },
    probe: async (settings) => probes.probe(await backendOf(settings)),
    hasRecord: () => [...instances].some((instance) => instance.hasRecord),
    async requireWorking(place) {
      if (!(await isRunning(place))) await probes.requireWorking(await backendOf(place.settings));
    },
    list: () => [...instances].map((instance) => instance.info()),
    of: (agent) => [...instances].filter((instance) => instance.isOf(agent)).map((instance) => instance.info()),
    end: (agent) => endSandboxes(agent, RECREATED),
    async close() {
      closing = true;
      clearInterval(pruner);
      await endSandboxes(undefined, 'the daemon has ended');
    },
  };
}

/** Adds changes of obeyed files to the text and the details of a result. */
function withObeyed(answer: ToolResult, obeyed: readonly ObeyedChange[]): ToolResult {
  if (obeyed.length === 0) return answer;
  const text = obeyed.map((each) => `Note: ${obeyedText(each)}.`).join('\n');
  return { ...answer, content: [...answer.content, { type: 'text', text }], details: { ...answer.details, obeyed } };
}

function nameOf({ key, hash }: SandboxPlace): string {
  return `${key} ${hash}`;
}

/** Reserves part of the process limit for the agent, so that it can still kill processes when commands have used up the rest. */
function tasksForCommands(pids: number): number {
  return pids - Math.min(MOST_RESERVED, Math.floor(pids / 4));
}

function guardLost(instance: SandboxInstance, lost: readonly [LostGuard, ...LostGuard[]]): Fault {
  const { id, owner } = instance.info();
  const [first, ...others] = lost;
  return new Fault(
    'SANDBOX_GUARD_LOST',
    `${lostGuardText(first, moreText(others))}, so the running sandbox ${id} of ${owner} could write to it`,
    {
      hint: 'wait until its commands have ended, or run "pincer sandbox recreate"',
      details: { paths: lost.slice(0, 50).map(({ path }) => path) },
    },
  );
}

function moreText(others: readonly LostGuard[]): string {
  return others.length > 0 ? ` and ${others.length} more` : '';
}

function notRunning(message: string): Fault {
  return new Fault('SANDBOX_NOT_RUNNING', message, { hint: 'run "pincer sandbox list" to see the running sandboxes' });
}

function specOf(place: SandboxPlace, folder: string): SandboxSpec {
  const { settings, agent, key } = place;
  const { workspaceAccess, limits, networkAllow, binds, env } = settings;
  const { image, runtime, user, setupCommand } = settings.container;
  return {
    id: `${
      agent
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/gu, '-')
        .slice(0, 24) || 'agent'
    }-${randomBytes(5).toString('hex')}`,
    workspace: workspaceAccess === 'none' ? privateWorkspace(folder, key) : place.folder,
    workspaceAccess,
    limits,
    egress: networkAllow.length > 0,
    binds,
    env,
    ...(image === undefined ? {} : { image }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(user === undefined ? {} : { user }),
    ...(setupCommand === undefined ? {} : { setupCommand }),
  };
}

/** The next sandbox with the same key gets the same private workspace. */
function privateWorkspace(folder: string, key: string): string {
  const path = join(folder, createHash('sha256').update(key).digest('hex').slice(0, 16));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
