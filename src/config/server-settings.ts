/** Settings of the programs that serve agents, with all defaults. */
import { resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { NodeAnswers } from '../wire/approval.ts';
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
  /** What named the workspace; the home folder is the default. */
  readonly workspaceFrom: 'command-line' | 'config' | 'default';
  readonly exec: 'off' | 'judged';
  /** Commands of the gateway run in a sandbox, or not at all. */
  readonly sandbox: boolean;
  readonly files: 'none' | 'ro' | 'rw';
  readonly answers: NodeAnswers;
  /** Absolute paths. */
  readonly pathPrefixes: readonly string[];
}

/** `given` are the settings of the command line. */
export function ownNodeSettings(
  { config }: Config,
  given: Pick<OwnNodeSettings, 'gateway' | 'name'> & { readonly workspace?: string } = {},
  home = homeFolder(),
): OwnNodeSettings {
  const { gateway, name, workspace, files, pathPrefixes = [], ...rest } = { ...config.node, ...given };
  const { exec = NODE_DEFAULTS.exec, sandbox = NODE_DEFAULTS.sandbox, answers = NODE_DEFAULTS.answers } = rest;
  return {
    ...(gateway === undefined ? {} : { gateway }),
    ...(name === undefined ? {} : { name }),
    workspace: workspace === undefined ? home : resolve(home, expandHome(workspace, home)),
    workspaceFrom: workspace === undefined ? 'default' : given.workspace === undefined ? 'config' : 'command-line',
    exec,
    sandbox,
    // Files are offered only in a folder that the operator chose.
    files: files ?? (workspace === undefined ? 'none' : 'rw'),
    answers,
    pathPrefixes: pathPrefixes.map((folder) => resolve(home, expandHome(folder, home))),
  };
}

/** For `pincer gateway`. Undefined where `nodes.listen` is not set. */
export function nodeListenSettings({ config }: Config) {
  const { listen = '', tls = 'own' } = config.nodes ?? {};
  const address = parseListenAddress(listen);
  return address === undefined ? undefined : { ...address, tls };
}

/** For `pincer gateway`. Undefined where `gateway.cluster.nats` is not set. */
export function natsSettings({ config }: Config, home = homeFolder()) {
  const { servers = [], creds } = config.gateway?.cluster?.nats ?? {};
  if (servers.length === 0 && creds === undefined) return undefined;
  if (servers.length > 0 && creds !== undefined) return { servers, creds: resolve(home, expandHome(creds, home)) };
  throw new Fault('CONFIG_INVALID', `gateway.cluster.nats needs ${creds === undefined ? 'creds' : 'servers'}, too`, {
    hint: 'pincer nodes nats-setup prints the whole setting',
  });
}

export function agentSettings({ config }: Config, agent: string): Pick<AgentEntry, 'name' | 'model'> {
  const { name, model } = config.agents?.list?.find(({ id }) => id === agent) ?? {};
  return { ...(name === undefined ? {} : { name }), ...(model === undefined ? {} : { model }) };
}

type AgentEntry = NonNullable<NonNullable<ConfigFile['agents']>['list']>[number];
