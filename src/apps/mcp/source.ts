/** The tools of a configured workspace for whoever calls: read again when a file of configuration has changed. */
import { statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { configFiles, hasConfig } from '../../config/config-files.ts';
import type { Gateway } from '../../wire/methods.ts';
import { assembleTools, type Toolbox } from '../assemble.ts';
import { configuredToolbox, type EntryOptions } from '../configured.ts';
import { runningOf } from '../running.ts';
import { closeToolbox } from '../toolbox-close.ts';
import type { ClientIdentity, McpOptions } from './options.ts';
import { recordedClient } from './recorded-client.ts';

export interface ToolboxSource {
  readonly toolbox: McpOptions['toolbox'];
  readonly gateway: () => Promise<Gateway>;
  readonly onToolsChanged: NonNullable<McpOptions['onToolsChanged']>;
}

/** The toolbox of one client name. */
interface Held {
  readonly stamp: string;
  readonly toolbox: Toolbox;
  /** When the files of configuration were looked at for it. */
  lookedAt: number;
  /** The tools at the last check for changes; a later check is compared with them. */
  namesSeen: string;
}

/** Clients with other names may get their tools assembled again. */
const MOST_HELD = 32;

/** How long a look at the files of configuration holds for calls. */
const LATELY_MS = 100;

/** What the way in says holds for every client; who the client is decides only what was left open. */
export function configuredSource(
  said: Omit<EntryOptions, 'asks'>,
  { log }: { readonly log: (message: string) => void },
): ToolboxSource {
  const running = runningOf(said);
  const gateway = said.gateway ?? (() => running.gateway());
  /** The one that was not asked for the longest is first. */
  const held = new Map<string, Held>();
  const assembling = new Map<string, { readonly stamp: string; readonly toolbox: Promise<Toolbox> }>();

  async function toolboxFor(client: ClientIdentity, asOf: 'now' | 'lately' = 'now'): Promise<Toolbox> {
    const key = client.name ?? '';
    const before = held.get(key);
    if (before !== undefined) {
      held.delete(key);
      held.set(key, before);
      if (asOf === 'lately' && Date.now() - before.lookedAt < LATELY_MS) return before.toolbox;
      before.lookedAt = Date.now();
    }
    const stamp = stampOf(said.workspace);
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
      const known = said.model ?? (await configuredModel(said)) ?? name;
      const options = await configuredToolbox({
        ...said,
        asks: 'agent',
        gateway,
        client: recordedClient(client),
        ...(known === undefined ? {} : { model: known }),
      });
      const toolbox = assembleTools({ onNotice: log, ...options });
      hold(name ?? '', stamp, toolbox);
      return toolbox;
    } catch (error) {
      const before = held.get(name ?? '');
      if (before === undefined || !(error instanceof Fault)) throw error;
      // Commands are refused where they are judged; the tools on offer stay what they were until the file is corrected.
      log(`${error.message}; the tools on offer stay as they were`);
      return before.toolbox;
    }
  }

  function hold(key: string, stamp: string, toolbox: Toolbox): void {
    const now = held.get(key);
    const [oldest] = held;
    const dropped = now === undefined && held.size >= MOST_HELD ? oldest : undefined;
    if (dropped !== undefined) held.delete(dropped[0]);
    for (const one of [now, dropped?.[1]]) if (one !== undefined) closeToolbox(one.toolbox);
    held.set(key, { stamp, toolbox, lookedAt: Date.now(), namesSeen: now?.namesSeen ?? toolbox.names.join() });
  }

  async function haveChanged(): Promise<boolean> {
    let changed = false;
    const keys = [...held.keys()]; // their order changes below
    for (const key of keys) {
      const names = (await toolboxFor(key === '' ? {} : { name: key })).names.join();
      const now = held.get(key);
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
      const look = (): void => {
        haveChanged().then(
          (changed) => changed && listener(),
          (error: Error) => log(error.message),
        );
      };
      return watching(said.workspace, look, log);
    },
  };
}

/** The model that the operator says this agent runs on. */
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

/** Which files of configuration there are, and which state they are in. */
function stampOf(folder: string): string {
  const stamps = configFiles(folder).map(({ path }) => {
    const status = statSync(path, { throwIfNoEntry: false });
    return status === undefined ? '' : `${path}:${status.ino}:${status.size}:${status.mtimeMs}:${status.ctimeMs}`;
  });
  return stamps.join('\n');
}

/** Begins after the first answers, which need neither the watching nor what it loads. */
function watching(folder: string, listener: () => void, log: (message: string) => void): () => void {
  let end: (() => void) | undefined;
  let isOver = false;
  const begin = async (): Promise<void> => {
    const { watchConfig } = await import('../../config/load/watch.ts');
    if (isOver) return;
    end = watchConfig(folder, listener);
    listener(); // what changed before anybody watched
  };
  const timer = setTimeout(() => {
    begin().catch((error: Error) => log(`changes of the configuration are not noticed: ${error.message}`));
  }, WATCH_AFTER_MS).unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
    end?.();
  };
}

const WATCH_AFTER_MS = 500;
