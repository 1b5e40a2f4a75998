/** Settings that are valid each by itself, and of which one takes the effect of the other. */
import type { ConfigFile, ToolsConfig } from './schema.ts';

export interface Contradiction {
  /** The setting without effect. */
  readonly at: string;
  readonly message: string;
}

/** All of them, for everybody and for each agent. */
export function contradictionsIn(config: ConfigFile): readonly Contradiction[] {
  const { tools = {}, sandbox, agents } = config;
  const everybody = contradictionsOf('tools.exec', tools, sandbox?.mode ?? 'off', undefined);
  const own = (agents?.list ?? []).flatMap(({ tools: said }, i) =>
    said?.exec === undefined
      ? []
      : contradictionsOf(`agents.list[${i}].tools.exec`, said, sandbox?.mode ?? 'off', tools.exec?.host),
  );
  return [...everybody, ...own];
}

function contradictionsOf(
  at: string,
  { exec = {} }: ToolsConfig,
  mode: string,
  usualHost: string | undefined,
): readonly Contradiction[] {
  const host = exec.host ?? usualHost ?? 'sandbox';
  if (host !== 'sandbox' && mode !== 'off' && exec.host !== undefined)
    return [
      {
        at: `${at}.host`,
        message: `says ${at}.host ${host}: commands do not run in the sandbox that sandbox.mode ${mode} asks for; file tools do`,
      },
    ];
  if (host !== 'sandbox') return [];
  return (['security', 'ask'] as const).flatMap((name) =>
    exec[name] === undefined
      ? []
      : [
          {
            at: `${at}.${name}`,
            message: `says ${at}.${name} ${exec[name]}, which has no effect with host sandbox: commands are not judged; set tools.exec.host to gateway`,
          },
        ],
  );
}
