/** From the files of configuration to what the programs that serve agents need to know. */
import { MCP_DEFAULTS, SERVE_DEFAULTS } from './schema/defaults.ts';
import type { LoadedConfig } from './load/load.ts';
import type { ConfigFile } from './schema/schema.ts';

type Config = Pick<LoadedConfig, 'config'>;

/** For `pincer mcp` and `/mcp`: what becomes of sessions, and whose names of parameters are shown. */
export function mcpSettings({ config }: Config) {
  const { sessionsOnClose = MCP_DEFAULTS.sessionsOnClose, preset } = config.mcp ?? {};
  return { sessionsOnClose, preset };
}

/** For `pincer serve`: where it listens. */
export function serveSettings({ config }: Config) {
  const { host = SERVE_DEFAULTS.host, port = SERVE_DEFAULTS.port } = config.serve ?? {};
  return { host, port };
}

/** What an agent is called, and the model it runs on, as far as the operator says so. */
export function agentSettings({ config }: Config, agent: string): Pick<AgentEntry, 'name' | 'model'> {
  const { name, model } = config.agents?.list?.find(({ id }) => id === agent) ?? {};
  return { ...(name === undefined ? {} : { name }), ...(model === undefined ? {} : { model }) };
}

type AgentEntry = NonNullable<NonNullable<ConfigFile['agents']>['list']>[number];
