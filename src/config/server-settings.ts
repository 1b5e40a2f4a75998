/** Settings of the programs that serve agents, with all defaults. */
import { resolve } from 'node:path';
import { MCP_DEFAULTS, NODE_DEFAULTS, SERVE_DEFAULTS } from './schema/defaults.ts';
import type { LoadedConfig } from './load/load.ts';
import { parseListenAddress } from './schema/listen-address.ts';
import type { ConfigFile } from './schema/schema.ts';
import { expandHome, homeFolder } from './state.ts';

type Config = Pick<LoadedConfig, 'config'>;

/** For `pincer mcp` and `/mcp`. */
export function mcpSettings({ config }: Config) {
  const { sessionsOnClose = MCP_DEFAULTS.sessionsOnClose, preset } = config.mcp ?? {};
  return { sessionsOnClose, preset };
}

/** For `pincer serve`. */
export function serveSettings({ config }: Config) {
  const { host = SERVE_DEFAULTS.host, port = SERVE_DEFAULTS.port } = config.serve ?? {};
  return { host, port };
}

/** This machine as a node, for `pincer node`. */
export interface OwnNodeSettings {
  readonly gateway?: string;
  readonly name?: string;
  /** An absolute path. */
  readonly workspace: string;
  readonly exec: 'off' | 'judged';
}

export function ownNodeSettings({ config }: Config, home = homeFolder()): OwnNodeSettings {
  const { gateway, name, workspace, exec = NODE_DEFAULTS.exec } = config.node ?? {};
  return {
    ...(gateway === undefined ? {} : { gateway }),
    ...(name === undefined ? {} : { name }),
    workspace: workspace === undefined ? home : resolve(home, expandHome(workspace, home)),
    exec,
  };
}

/** For `pincer gateway`. Undefined where `nodes.listen` is not set. */
export function nodeListenSettings({ config }: Config) {
  const { listen = '', tls = 'own' } = config.nodes ?? {};
  const address = parseListenAddress(listen);
  return address === undefined ? undefined : { ...address, tls };
}

export function agentSettings({ config }: Config, agent: string): Pick<AgentEntry, 'name' | 'model'> {
  const { name, model } = config.agents?.list?.find(({ id }) => id === agent) ?? {};
  return { ...(name === undefined ? {} : { name }), ...(model === undefined ? {} : { model }) };
}

type AgentEntry = NonNullable<NonNullable<ConfigFile['agents']>['list']>[number];
