/** The sandboxes of this machine: made at the first need, shared by those who may, replaced when what they are made from changes. */
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
import { type LostGuard, lostGuardText } from './sandboxes/lost-guard.ts';
import { createProofs } from './sandboxes/proof.ts';
import { obeyedText } from './sandboxes/obeyed-text.ts';
import type { Report } from './sandboxes/obeyed-watch.ts';

export interface SandboxesOptions {
  /** The folder `sandboxes` of the state folder; private workspaces stand below it. */
  readonly folder: string;
  /** The technology that the settings name; asked for once per technology and engine. */
  backendFor(settings: SandboxSettings): Promise<Backend>;
  /** Takes over the channel of an agent. */
  connect(channel: Duplex, options: LinkOptions): Promise<InsideLink> | InsideLink;
  readonly now?: () => number;
  /** How often is looked for those that nobody uses (default: every minute). */
  readonly pruneEveryMs?: number;
  /** Hears of connections that a sandbox wanted and did not get. */
  readonly onRefused?: (place: SandboxPlace, refusal: EgressRefusal) => void;
  /** Hears of connections that a sandbox got. */
  readonly onAllowed?: (place: SandboxPlace, connection: EgressConnection) => void;
  /** Hears of a sandbox that ended without having been told to. */
  readonly onBroken?: (sandbox: SandboxInfo, reason: string) => void;
  /** Hears of what the host obeys and work in a sandbox made or changed; says what became of each. */
  readonly onObeyed?: (place: SandboxPlace, workspace: string, ...found: Parameters<Report>) => ReturnType<Report>;
  /** Hears, once for each path, of guards that no longer hold or are missing while something runs in a sandbox. */
  readonly onGuardLost?: (place: SandboxPlace, lost: readonly LostGuard[]) => void;
  /** What the way out of a sandbox is made with, beside its list. */
  readonly egress?: Pick<NonNullable<LinkOptions['egress']>, 'resolve' | 'permitted'>;
}

export interface CallToolOptions {
  readonly signal?: AbortSignal | undefined;
  /** Only in the sandbox that runs now: SANDBOX_NOT_RUNNING where none does, or where it takes no work. */
  readonly onlyRunning?: boolean;
}

export interface Sandboxes {
  /** Starts commands in the sandbox of a place. */
  runnerOf(place: SandboxPlace): Pick<Launcher, 'launch'>;
  /** Makes the sandbox of a place, if there is none. */
  open(place: SandboxPlace): Promise<SandboxInfo>;
  /** Runs a file tool inside; with `onlyRunning` no sandbox is made, and none is replaced. */
  callTool(place: SandboxPlace, call: ToolCall, options?: CallToolOptions): Promise<ToolResult>;
  probe(settings: SandboxSettings): Promise<Probe>;
  /** Whether a sandbox holds a record of changes, which ends with it. */
  hasRecord(): boolean;
  /** Throws the fault of a place that no sandbox takes work for, and whose backend does not work. */
  prove(place: SandboxPlace): Promise<void>;
  list(): readonly SandboxInfo[];
  /** Ends those that an agent uses, or all, with all that runs in them. */
  end(agent?: string): Promise<readonly SandboxInfo[]>;
  /** Those that an agent uses. */
  of(agent: string): readonly SandboxInfo[];
  close(): Promise<void>;
}

const PRUNE_MS = 60_000;
const MOST_RESERVED = 64;
/** File tools that record what they change. */
const RECORDED: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch', 'path']);
/** Sandboxes that are tried for one piece of work. */
const MOST_TRIES = 3;
const RECREATED = 'it is being made anew';
/** What the launcher of a sandbox that is over throws; it has started nothing then. */
const UNSTARTED: ReadonlySet<string> = new Set(['EXEC_CLOSED', 'SANDBOX_BROKEN']);

export function createSandboxes(options: SandboxesOptions): Sandboxes {
  const { now = Date.now } = options;
  const proofs = createProofs(now);
  const backends = new Map<string, Promise<Backend>>();
  /** Those that new work goes to, by key and hash of their place. */
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
    const { setupCommand: _, ...engine } = settings.container; // what a backend is told when it is made
    const key = JSON.stringify([settings.backend, settings.backend === 'bubblewrap' ? {} : engine]);
    const known = backends.get(key);
    if (known !== undefined) return known;
    const backend = options.backendFor(settings);
    backends.set(key, backend);
    backend.catch(() => backends.delete(key));
    return backend;
  }

  /** The sandbox of a place: the one that there is, or a new one. Those who ask at the same time share it. */
  async function instanceOf(place: SandboxPlace): Promise<SandboxInstance> {
    const name = nameOf(place);
    for (;;) {
      if (closing) throw new Fault('EXEC_CLOSING', 'no sandbox is made any more', { hint: 'try again in a moment' });
      leaveOthers(place);
      const held = current.get(name) ?? begin(name, place);
      const instance = await held;
      if (instance.takesWork && guardsHold(instance)) return instance;
      forget(name, held);
    }
  }

  /**
   * A sandbox with guards that the host has pulled away, or without guards for what the host has made since, is replaced; it
   * gets no more work while something runs in it.
   */
  function guardsHold(instance: SandboxInstance, unguarded: readonly LostGuard[] = [], mayReplace = true): boolean {
    const lost = [...instance.lostGuards(), ...unguarded];
    const [first, ...others] = lost;
    if (first === undefined) return true;
    if (!instance.isRunning && mayReplace) {
      instance.retire('files that the host obeys were replaced or made on the host');
      return false;
    }
    const fresh = instance.newlyLost(lost);
    if (fresh.length > 0) options.onGuardLost?.(instance.place, fresh);
    throw guardLost(instance, [first, ...others]);
  }

  /** Begins work in the sandbox of a place; one whose guards do not hold is replaced first. */
  async function workIn(place: SandboxPlace): Promise<{ readonly instance: SandboxInstance; readonly work: Work }> {
    const earlier: ObeyedChange[] = [];
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const instance = await instanceOf(place);
      // Whoever makes such files again and again would have a new sandbox made each time.
      const { work, obeyed } = await instance.begin(place.agent, (unguarded) =>
        guardsHold(instance, unguarded, tries < MOST_TRIES),
      );
      earlier.push(...obeyed);
      if (work !== undefined) return { instance, work: { ...work, obeyed: earlier } };
    }
    throw new Fault('SANDBOX_BROKEN', `${MOST_TRIES} sandboxes ended before work could begin in them`, {
      hint: 'see pincer sandbox explain, then try again',
    });
  }

  /** Begins work in the sandbox that a place has now: its record of changes ends with it, so it is not replaced. */
  async function workInRunning(place: SandboxPlace): ReturnType<typeof workIn> {
    const instance = await current.get(nameOf(place))?.catch(() => undefined);
    if (instance?.takesWork !== true) throw notRunning(`no sandbox of ${place.owner} runs for ${place.folder}`);
    const { id, owner } = instance.info();
    const { work } = await instance.begin(place.agent, (unguarded) => {
      const [first, ...others] = [...instance.lostGuards(), ...unguarded];
      if (first === undefined) return true;
      throw notRunning(
        `${lostGuardText(first, moreText(others))}, so the sandbox ${id} of ${owner} takes no more work`,
      );
    });
    if (work === undefined) throw notRunning(`the sandbox ${id} of ${owner} has ended`);
    return { instance, work };
  }

  function begin(name: string, place: SandboxPlace): Promise<SandboxInstance> {
    const made = make(place);
    current.set(name, made);
    made.catch(() => forget(name, made));
    return made;
  }

  function forget(name: string, instance: Promise<SandboxInstance>): void {
    if (current.get(name) === instance) current.delete(name);
  }

  /** Whose configuration has changed needs the sandboxes of the one before no longer, of whatever kind; another agent may. */
  function leaveOthers({ folder, hash, agent }: SandboxPlace): void {
    for (const instance of instances)
      if (instance.place.folder === folder && instance.place.hash !== hash)
        instance.leave(agent, 'its configuration has changed');
  }

  async function make(place: SandboxPlace): Promise<SandboxInstance> {
    const { settings } = place;
    const backend = await backendOf(settings);
    await proofs.prove(backend);
    const spec = specOf(place, options.folder);
    const opened = await backend.open(spec).catch((error: unknown) => {
      proofs.forget(backend);
      throw error;
    });
    try {
      const egress = egressOf(place);
      const { HOME: home } = settings.env;
      const link = await options.connect(opened.channel, {
        breakDown: () => void opened.end().catch(() => {}), // its end is heard of by `ended`
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
        left(instance, reason);
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

  function left(instance: SandboxInstance, reason: string): void {
    instances.delete(instance);
    if (!instance.wasTold) options.onBroken?.(instance.info(), reason);
  }

  /** A sandbox that ended in the moment before gets nothing: then nothing was started, and a new one is made. */
  async function launched(place: SandboxPlace, launch: Launch, listener: Listener): Promise<Launched> {
    const { instance, work } = await workIn(place);
    try {
      return await instance.launch(work, launch, listener);
    } catch (error) {
      if (!instance.isOver || !(error instanceof Fault) || !UNSTARTED.has(error.code)) throw error;
      const again = await workIn(place);
      return again.instance.launch(again.work, launch, listener);
    }
  }

  async function endThose(agent: string | undefined, why: string): Promise<readonly SandboxInfo[]> {
    await Promise.allSettled(current.values());
    const those = [...instances].filter((instance) => agent === undefined || instance.isOf(agent));
    const infos = those.map((instance) => instance.info());
    await Promise.all(those.map((instance) => instance.end(why)));
    return infos;
  }

  return {
    runnerOf: (place) => ({ launch: (launch, listener) => launched(place, launch, listener) }),
    open: async (place) => (await instanceOf(place)).info(),
    async callTool(place, { tool, args, context }, { signal, onlyRunning = false } = {}) {
      const { instance, work } = await (onlyRunning ? workInRunning(place) : workIn(place));
      const { result, obeyed } = await instance.using(work, (link) =>
        link.callTool(tool, args, { ...context, ...actorOf(place) }, signal === undefined ? {} : { signal }),
      );
      if (RECORDED.has(tool) && result.isError !== true) instance.noteRecord();
      return withObeyed({ ...result, details: { ...result.details, sandbox: true } }, obeyed);
    },
    probe: async (settings) => proofs.probe(await backendOf(settings)),
    hasRecord: () => [...instances].some((instance) => instance.hasRecord),
    async prove(place) {
      if (!(await isRunning(place))) await proofs.prove(await backendOf(place.settings));
    },
    list: () => [...instances].map((instance) => instance.info()),
    of: (agent) => [...instances].filter((instance) => instance.isOf(agent)).map((instance) => instance.info()),
    end: (agent) => endThose(agent, RECREATED),
    async close() {
      closing = true;
      clearInterval(pruner);
      await endThose(undefined, 'the daemon has ended');
    },
  };
}

/** What the host obeys and the tool made or changed is said in the text, too. */
function withObeyed(answer: ToolResult, obeyed: readonly ObeyedChange[]): ToolResult {
  if (obeyed.length === 0) return answer;
  const text = obeyed.map((each) => `Note: ${obeyedText(each)}.`).join('\n');
  return { ...answer, content: [...answer.content, { type: 'text', text }], details: { ...answer.details, obeyed } };
}

/** Names what new work shares a sandbox by. */
function nameOf({ key, hash }: SandboxPlace): string {
  return `${key} ${hash}`;
}

/** Some of the limit are kept for the agent, so that it can end what took the rest. */
function tasksForCommands(pids: number): number {
  return pids - Math.min(MOST_RESERVED, Math.floor(pids / 4));
}

function guardLost(instance: SandboxInstance, lost: readonly [LostGuard, ...LostGuard[]]): Fault {
  const { id, owner } = instance.info();
  const [first, ...others] = lost;
  return new Fault(
    'SANDBOX_GUARD_LOST',
    `${lostGuardText(first, moreText(others))}, so the running sandbox ${id} of ${owner} could write it`,
    {
      hint: 'wait until what runs in the sandbox has ended, or end it with pincer sandbox recreate',
      details: { paths: lost.slice(0, 50).map(({ path }) => path) },
    },
  );
}

function moreText(others: readonly LostGuard[]): string {
  return others.length > 0 ? ` and ${others.length} more` : '';
}

function notRunning(message: string): Fault {
  return new Fault('SANDBOX_NOT_RUNNING', message, { hint: 'pincer sandbox list shows those that run' });
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

/** Those who share a sandbox find the same private workspace again in the next one. */
function privateWorkspace(folder: string, key: string): string {
  const path = join(folder, createHash('sha256').update(key).digest('hex').slice(0, 16));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
