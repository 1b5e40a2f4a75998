/** What the server says of itself, whoever says it: the package, or the opening that comes before it is loaded. */
import { instructionsFor } from './instructions.ts';
import type { McpOptions } from './options.ts';

export interface Greeting {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly capabilities: {
    readonly tools: { readonly listChanged: boolean };
    readonly resources?: { readonly subscribe: boolean; readonly listChanged: boolean };
  };
  readonly instructions: string;
  /** How long a client may keep the list of tools; one that listens hears of a change at once. */
  readonly listTtlMs: number;
}

/** What a client that connects now hears. */
export async function greetingOf({
  version,
  setting,
  posture,
  resources,
}: Pick<McpOptions, 'version' | 'setting' | 'posture' | 'resources'>): Promise<Greeting> {
  return {
    serverInfo: { name: 'pincer', title: 'Pincer', version },
    capabilities: {
      tools: { listChanged: true },
      ...(resources === undefined ? {} : { resources: { subscribe: true, listChanged: true } }),
    },
    instructions: instructionsFor(setting, setting.readOnly === true ? '' : await posture()),
    listTtlMs: 60_000,
  };
}
