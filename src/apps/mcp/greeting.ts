/** What the server says of itself, whoever says it: the package, or the opening that comes before it is loaded. */
import { shownText } from '../../policy/explain.ts';
import type { McpOptions, ServerSetting } from './options.ts';

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

// What a model hears of the server before it calls anything; some clients show it, others find tools by its words.

/** The instructions of a server: short, and with the words that somebody would search for. */
function instructionsFor({ workspace, agent, readOnly = false }: ServerSetting, posture: string): string {
  const where = `the workspace ${shownText(workspace)} on this machine, as the agent ${shownText(agent)}`;
  if (readOnly)
    return [
      `Files of ${where}, for reading only.`,
      'read shows text, pictures, PDFs and notebooks; path reads or finds one spot in Markdown, JSON, JSONL or YAML by its oc:// address.',
      'Paths are relative to the workspace. Nothing can be written or run here.',
    ].join('\n');
  return [
    `Files and shell commands in ${where}: read, write, edit and patch files, run terminal commands (bash, shell, exec), follow background processes.`,
    'Paths are relative to the workspace. path reads or changes one spot in Markdown, JSON, JSONL or YAML by its oc:// address, byte-exact around it.',
    'exec answers with the output, or after yieldMs (default 10 s) with a sessionId: follow that session with process (poll, log, write, send-keys, kill).',
    `Here ${shownText(posture)}.`,
    'A command that needs approval is put to a person; status approval-pending means that it has not run: tell the user the line that allows it and go on with something else. Do not repeat or rephrase a command that was denied.',
  ].join('\n');
}
