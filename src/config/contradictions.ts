/** Settings that are valid each by itself, and of which one takes the effect of the other. */
import { toolsConfigOf } from './exec.ts';
import { sandboxModeOf } from './sandbox.ts';
import type { ConfigFile, ToolsConfig } from './schema/schema.ts';

export interface Contradiction {
  /** The setting without effect. */
  readonly at: string;
  readonly message: string;
}

/** All of them, for everybody and for each agent with settings of its own. */
export function contradictionsIn(config: ConfigFile): readonly Contradiction[] {
  const { tools = {}, sandbox, agents } = config;
  const everybody = contradictionsOf({ at: '', own: { tools, sandbox }, tools, mode: sandboxModeOf(config) });
  const each = (agents?.list ?? []).flatMap((own, i) => {
    const { id = '' } = own;
    return contradictionsOf({
      at: `agents.list[${i}].`,
      own,
      tools: toolsConfigOf({ config }, id),
      mode: sandboxModeOf(config, id),
    });
  });
  return [...everybody, ...each];
}

interface Held {
  /** What the names of the entry's own settings begin with. */
  readonly at: string;
  readonly own: { readonly tools?: ToolsConfig | undefined; readonly sandbox?: ConfigFile['sandbox'] | undefined };
  /** What holds, with what is said for all. */
  readonly tools: ToolsConfig;
  readonly mode: string;
}

function contradictionsOf({ at, own, tools, mode }: Held): readonly Contradiction[] {
  const { host = 'sandbox' } = tools.exec ?? {};
  const exec = own.tools?.exec ?? {};
  if (host !== 'sandbox') {
    if (mode === 'off' || (exec.host === undefined && own.sandbox?.mode === undefined)) return [];
    const name = exec.host === undefined ? 'tools.exec.host' : `${at}tools.exec.host`;
    const asking = own.sandbox?.mode === undefined ? 'sandbox.mode' : `${at}sandbox.mode`;
    const message = `says ${name} ${host}: commands do not run in the sandbox that ${asking} ${mode} asks for; file tools do`;
    return [{ at: name, message }];
  }
  // A command that is elevated out of its sandbox is judged by both.
  if (mode !== 'off' && tools.elevated?.enabled === true) return [];
  return (['security', 'ask', 'denyRules'] as const).flatMap((name) => {
    const value = exec[name];
    if (value === undefined || value.length === 0) return [];
    const setting = `${at}tools.exec.${name}`;
    const shown = typeof value === 'string' ? `${setting} ${value}` : setting;
    const message = `says ${shown}, which has no effect with host sandbox: commands are not judged; set ${at}tools.exec.host to gateway`;
    return [{ at: setting, message }];
  });
}
