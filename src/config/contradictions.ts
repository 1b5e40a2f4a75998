/** Valid settings of which one disables the other. */
import { toolsConfigOf } from './exec-settings.ts';
import { sandboxModeOf } from './sandbox-settings.ts';
import type { ConfigFile, ToolsConfig } from './schema/schema.ts';

export interface Contradiction {
  /** The setting without effect. */
  readonly at: string;
  readonly message: string;
}

/** Checks the settings for all agents and those of each agent in `agents.list`. `isNode`: commands of a gateway run here. */
export function contradictionsIn(config: ConfigFile, isNode: boolean): readonly Contradiction[] {
  const { tools = {}, sandbox, agents } = config;
  const hasNodes = isNode || config.nodes?.listen !== undefined || config.gateway?.cluster?.nats !== undefined;
  const all = { at: '', own: { tools, sandbox }, tools, mode: sandboxModeOf(config), hasNodes };
  const general = contradictionsOf(all);
  const perAgent = (agents?.list ?? []).flatMap((own, i) => {
    const { id = '' } = own;
    return contradictionsOf({
      at: `agents.list[${i}].`,
      own,
      tools: toolsConfigOf({ config }, id),
      mode: sandboxModeOf(config, id),
      hasNodes,
    });
  });
  return [...general, ...perAgent];
}

interface Scope {
  /** The prefix of the names of its own settings. */
  readonly at: string;
  readonly own: { readonly tools?: ToolsConfig | undefined; readonly sandbox?: ConfigFile['sandbox'] | undefined };
  /** Effective: merged with the settings for all agents. */
  readonly tools: ToolsConfig;
  readonly mode: string;
  /** This machine is a node, or its agents can use nodes. */
  readonly hasNodes: boolean;
}

function contradictionsOf({ at, own, tools, mode, hasNodes }: Scope): readonly Contradiction[] {
  const { host = 'sandbox' } = tools.exec ?? {};
  const exec = own.tools?.exec ?? {};
  if (host !== 'sandbox') {
    if (mode === 'off' || (exec.host === undefined && own.sandbox?.mode === undefined)) return [];
    const name = exec.host === undefined ? 'tools.exec.host' : `${at}tools.exec.host`;
    const modeName = own.sandbox?.mode === undefined ? 'sandbox.mode' : `${at}sandbox.mode`;
    const message = `${modeName} ${mode} applies to file tools only: with ${name} ${host}, commands run outside the sandbox`;
    return [{ at: name, message }];
  }
  // `security`, `ask` and `denyRules` apply to commands that are elevated out of their sandbox, and to those of nodes.
  if (hasNodes || (mode !== 'off' && tools.elevated?.enabled === true)) return [];
  return (['security', 'ask', 'denyRules'] as const).flatMap((name) => {
    const value = exec[name];
    if (value === undefined || value.length === 0) return [];
    const setting = `${at}tools.exec.${name}`;
    const shown = typeof value === 'string' ? `${setting} ${value}` : setting;
    const message = `${shown} has no effect with host sandbox, where commands are not judged; set ${at}tools.exec.host to gateway`;
    return [{ at: setting, message }];
  });
}
