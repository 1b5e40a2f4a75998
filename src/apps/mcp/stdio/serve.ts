/**
 * Serves the tools of a configured workspace over stdin and stdout. The MCP package is loaded after the first requests have
 * been answered.
 */
import { actorOf } from '../../../wire/actor.ts';
import type { EntryOptions } from '../../configured-toolbox.ts';
import { filesNodeIn, postureSentence } from '../../posture.ts';
import { greetingOf } from '../greeting.ts';
import { listTools } from '../list.ts';
import type { McpOptions } from '../options.ts';
import { workspaceResources } from '../resources/resources.ts';
import { configuredSource } from '../toolbox-source.ts';
import { openingExchange } from './handshake.ts';

export interface WorkspaceSettings
  extends Pick<McpOptions, 'preset' | 'sessionsOnClose' | 'asksInClient' | 'stateDir' | 'version' | 'log'> {
  readonly readOnly?: boolean;
}

/** Resolves when the client has disconnected and all answers are written. */
export async function serveWorkspace(
  entry: Omit<EntryOptions, 'asks'>,
  { readOnly = false, ...settings }: WorkspaceSettings,
): Promise<void> {
  const { workspace } = entry;
  const caller = actorOf(entry);
  const setting = { workspace, ...caller, readOnly };
  const source = configuredSource(entry, settings);
  const { stateDir, log } = settings;
  const resources = workspaceResources({ workspace, stateDir, toolbox: () => source.toolbox({}, 'lately'), log });
  const posture = () => postureSentence(workspace, caller, entry);
  const filesNode = () => filesNodeIn(workspace, caller, entry);
  const options = { ...settings, ...source, setting, posture, filesNode };
  const stop = (): void => void process.stdin.destroy();
  for (const signal of SIGNALS) process.once(signal, stop);
  const opened = await openingExchange({
    input: process.stdin,
    output: process.stdout,
    greeting: await greetingOf({ ...options, resources: resources.register }),
    listTools: async (client) => listTools(await source.toolbox(client, 'now'), options),
  });
  if (opened !== undefined) {
    const { serveOpened } = await import('./serving.ts');
    await serveOpened(opened, options, resources);
  }
  for (const signal of SIGNALS) process.off(signal, stop);
}

/** These signals have the same effect as the end of stdin. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
