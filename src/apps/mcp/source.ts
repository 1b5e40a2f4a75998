/** The tools of a configured workspace for whoever calls: read again when a file of configuration has changed. */
import { statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { configPlaces, hasConfig } from '../../config/places.ts';
import type { Gateway } from '../../wire/rpc.ts';
import { assembleTools, type Toolbox } from '../assemble.ts';
import { configuredToolbox, type SaidHere } from '../configured.ts';
import { runningOf } from '../running.ts';
import { closeToolbox } from '../toolbox-close.ts';
import type { ClientIdentity, McpOptions } from './options.ts';
import { recordedClient } from './recorded-client.ts';

export interface ToolboxSource {
  readonly toolbox: McpOptions['toolbox'];
  readonly gateway: () => Promise<Gateway>;
  readonly onToolsChanged: NonNullable<McpOptions['onToolsChanged']>;
}

interface Held {
  readonly stamp: string;
  readonly toolbox: Toolbox;
}

/** Clients with other names than these may get the same tools assembled again; no more. */
const MOST_HELD = 32;

/** How long a look at the files of configuration holds for calls. */
const LATELY_MS = 100;

/** What the way in says holds for every client; who the client is decides only what was left open. */
export function configuredSource(
  said: Omit<SaidHere, 'asks'>,
  { log }: { readonly log: (message: string) => void },
): ToolboxSource {
  const running = runningOf(said);
  const gateway = said.gateway ?? (() => running.gateway());
  const held = new Map<string, Held>();
  /** The tools on offer as of the last look, which a change is told from. */
  const seen = new Map<string, string>();
  let lookedAt = 0;

  async function toolboxFor(client: ClientIdentity, asOf: 'now' | 'lately' = 'now'): Promise<Toolbox> {
    const { name } = client;
    const key = name ?? '';
    const before = held.get(key);
    if (before !== undefined && asOf === 'lately' && Date.now() - lookedAt < LATELY_MS) return before.toolbox;
    const stamp = stampOf(said.workspace);
    lookedAt = Date.now();
    if (before?.stamp === stamp) return before.toolbox;
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
      if (held.size >= MOST_HELD) forgetAll();
      if (before !== undefined) closeToolbox(before.toolbox);
      held.set(key, { stamp, toolbox });
      if (!seen.has(key)) seen.set(key, toolbox.names.join());
      return toolbox;
    } catch (error) {
      if (before === undefined || !(error instanceof Fault)) throw error;
      // Commands are refused where they are judged; the tools on offer stay what they were until the file is corrected.
      log(`${error.message}; the tools on offer stay as they were`);
      return before.toolbox;
    }
  }

  function forgetAll(): void {
    for (const { toolbox } of held.values()) closeToolbox(toolbox);
    held.clear();
    seen.clear();
  }

  async function haveChanged(): Promise<boolean> {
    let changed = false;
    for (const [key, before] of seen) {
      const now = (await toolboxFor(key === '' ? {} : { name: key })).names.join();
      seen.set(key, now);
      changed ||= now !== before;
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
}: Pick<SaidHere, 'workspace' | 'agent'>): Promise<string | undefined> {
  if (!hasConfig(workspace)) return undefined;
  const [{ loadConfig }, { agentSettings }] = await Promise.all([
    import('../../config/load.ts'),
    import('../../config/programs.ts'),
  ]);
  return agentSettings(await loadConfig({ folder: workspace, heedEnvironment: true }), agent).model;
}

/** Which files of configuration there are, and which state they are in. */
function stampOf(folder: string): string {
  const stamps = configPlaces(folder).map(({ path }) => {
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
    const { watchConfig } = await import('../../config/watch.ts');
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
