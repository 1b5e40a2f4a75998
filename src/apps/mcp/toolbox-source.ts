/** The toolboxes of a configured workspace by client, rebuilt when a configuration file has changed. */
import { statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { configFiles, hasConfig } from '../../config/config-files.ts';
import type { Gateway } from '../../wire/methods.ts';
import { assembleTools, type Toolbox } from '../assemble.ts';
import { configuredToolbox, type EntryOptions } from '../configured-toolbox.ts';
import { runningContext } from '../running-context.ts';
import { closeToolbox } from '../toolbox-close.ts';
import type { ClientIdentity, McpOptions } from './options.ts';
import { recordedClient } from './recorded-client.ts';

export interface ToolboxSource {
  readonly toolbox: McpOptions['toolbox'];
  readonly gateway: () => Promise<Gateway>;
  readonly onToolsChanged: NonNullable<McpOptions['onToolsChanged']>;
}

/** The toolbox of one client name. */
interface CachedToolbox {
  readonly stamp: string;
  readonly toolbox: Toolbox;
  /** The time of the last check of the configuration files. */
  lookedAt: number;
  /** The tools at the last check for changes; a later check is compared with them. */
  namesSeen: string;
}

/** Toolboxes of further client names are built again when needed. */
const MOST_CACHED = 32;

/** Calls within this time reuse a check of the configuration files. */
const LATELY_MS = 100;

/** The options of the entry point apply to every client; the client's name is the default of `model`. */
export function configuredSource(
  entry: Omit<EntryOptions, 'asks'>,
  { log }: { readonly log: (message: string) => void },
): ToolboxSource {
  const running = runningContext(entry);
  const gateway = entry.gateway ?? (() => running.gateway());
  /** Least recently used first. */
  const cached = new Map<string, CachedToolbox>();
  const assembling = new Map<string, { readonly stamp: string; readonly toolbox: Promise<Toolbox> }>();

  async function toolboxFor(client: ClientIdentity, asOf: 'now' | 'lately' = 'now'): Promise<Toolbox> {
    const key = client.name ?? '';
    const before = cached.get(key);
    if (before !== undefined) {
      cached.delete(key);
      cached.set(key, before);
      if (asOf === 'lately' && Date.now() - before.lookedAt < LATELY_MS) return before.toolbox;
      before.lookedAt = Date.now();
    }
    const stamp = stampOf(entry.workspace);
    if (before?.stamp === stamp) return before.toolbox;
    const others = assembling.get(key);
    if (others?.stamp === stamp) return others.toolbox;
    const toolbox = assemble(client, stamp);
    assembling.set(key, { stamp, toolbox });
    try {
      return await toolbox;
    } finally {
      if (assembling.get(key)?.toolbox === toolbox) assembling.delete(key);
    }
  }

  async function assemble(client: ClientIdentity, stamp: string): Promise<Toolbox> {
    const { name } = client;
    try {
      const known = entry.model ?? (await configuredModel(entry)) ?? name;
      const options = await configuredToolbox({
        ...entry,
        asks: 'agent',
        gateway,
        client: recordedClient(client),
        ...(known === undefined ? {} : { model: known }),
      });
      const toolbox = assembleTools({ onNotice: log, ...options });
      store(name ?? '', stamp, toolbox);
      return toolbox;
    } catch (error) {
      const before = cached.get(name ?? '');
      if (before === undefined || !(error instanceof Fault)) throw error;
      // The gateway refuses commands meanwhile; the offered tools stay unchanged until the file is corrected.
      log(`${error.message}; the offered tools stay unchanged`);
      return before.toolbox;
    }
  }

  function store(key: string, stamp: string, toolbox: Toolbox): void {
    const now = cached.get(key);
    const [oldest] = cached;
    const dropped = now === undefined && cached.size >= MOST_CACHED ? oldest : undefined;
    if (dropped !== undefined) cached.delete(dropped[0]);
    for (const one of [now, dropped?.[1]]) if (one !== undefined) closeToolbox(one.toolbox);
    cached.set(key, { stamp, toolbox, lookedAt: Date.now(), namesSeen: now?.namesSeen ?? toolbox.names.join() });
  }

  async function haveChanged(): Promise<boolean> {
    let changed = false;
    const keys = [...cached.keys()]; // their order changes below
    for (const key of keys) {
      const names = (await toolboxFor(key === '' ? {} : { name: key })).names.join();
      const now = cached.get(key);
      if (now === undefined) continue; // dropped meanwhile
      changed ||= now.namesSeen !== names;
      now.namesSeen = names;
    }
    return changed;
  }

  return {
    gateway,
    toolbox: toolboxFor,
    onToolsChanged(listener) {
      const check = (): void => {
        haveChanged().then(
          (changed) => changed && listener(),
          (error: Error) => log(error.message),
        );
      };
      return watchLater(entry.workspace, check, log);
    },
  };
}

/** The agent's model in the configuration. */
async function configuredModel({
  workspace,
  agent,
}: Pick<EntryOptions, 'workspace' | 'agent'>): Promise<string | undefined> {
  if (!hasConfig(workspace)) return undefined;
  const [{ loadConfig }, { agentSettings }] = await Promise.all([
    import('../../config/load/load.ts'),
    import('../../config/server-settings.ts'),
  ]);
  return agentSettings(await loadConfig({ folder: workspace, includeEnvironment: true }), agent).model;
}

/** Existence and state of the configuration files. */
function stampOf(folder: string): string {
  const stamps = configFiles(folder).map(({ path }) => {
    const status = statSync(path, { throwIfNoEntry: false });
    return status === undefined ? '' : `${path}:${status.ino}:${status.size}:${status.mtimeMs}:${status.ctimeMs}`;
  });
  return stamps.join('\n');
}

/** Starts to watch after a delay, so that the first answers do not wait for it. */
function watchLater(folder: string, listener: () => void, log: (message: string) => void): () => void {
  let end: (() => void) | undefined;
  let isOver = false;
  const begin = async (): Promise<void> => {
    const { watchConfig } = await import('../../config/load/watch.ts');
    if (isOver) return;
    end = watchConfig(folder, listener);
    listener(); // for changes before the watch started
  };
  const timer = setTimeout(() => {
    begin().catch((error: Error) => log(`cannot watch the configuration: ${error.message}`));
  }, WATCH_AFTER_MS).unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
    end?.();
  };
}

const WATCH_AFTER_MS = 500;
