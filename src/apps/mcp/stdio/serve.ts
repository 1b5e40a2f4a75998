/**
 * Serves the tools of a configured workspace over standard input and output. The MCP package is loaded when what clients ask
 * first has been answered.
 */
import { actorOf } from '../../../wire/actor.ts';
import type { EntryOptions } from '../../configured-toolbox.ts';
import { postureSentence } from '../../posture.ts';
import { greetingOf } from '../greeting.ts';
import { listTools } from '../list.ts';
import type { McpOptions } from '../options.ts';
import { workspaceResources } from '../resources/resources.ts';
import { configuredSource } from '../source.ts';
import { openingExchange } from './handshake.ts';

/** What the way in decides beside the tools. */
export interface WorkspaceSettings
  extends Pick<McpOptions, 'preset' | 'sessionsOnClose' | 'asksInClient' | 'stateDir' | 'version' | 'log'> {
  readonly readOnly?: boolean;
}

/** Resolves when the client has left and everything has been said. */
export async function serveWorkspace(
  said: Omit<EntryOptions, 'asks'>,
  { readOnly = false, ...settings }: WorkspaceSettings,
): Promise<void> {
  const { workspace } = said;
  const caller = actorOf(said);
  const setting = { workspace, ...caller, readOnly };
  const source = configuredSource(said, settings);
  const { stateDir, log } = settings;
  const resources = workspaceResources({ workspace, stateDir, toolbox: () => source.toolbox({}, 'lately'), log });
  const posture = () => postureSentence(workspace, caller, said);
  const options = { ...settings, ...source, setting, posture };
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

/** What ends a server in order: as if the client had closed its end. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
