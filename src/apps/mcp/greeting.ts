/** The server's own description, sent by the MCP package or by the handshake before the package is loaded. */
import { shownText } from '../../policy/explain.ts';
import type { McpOptions, ServerSetting } from './options.ts';

export interface Greeting {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly capabilities: {
    readonly tools: { readonly listChanged: boolean };
    readonly resources?: { readonly subscribe: boolean; readonly listChanged: boolean };
  };
  readonly instructions: string;
  /** How long a client may cache the list of tools; a client that listens is notified of changes. */
  readonly listTtlMs: number;
}

export async function greetingOf({
  version,
  setting,
  posture,
  filesNode,
  resources,
}: Pick<McpOptions, 'version' | 'setting' | 'posture' | 'filesNode' | 'resources'>): Promise<Greeting> {
  return {
    serverInfo: { name: 'pincer', title: 'Pincer', version },
    capabilities: {
      tools: { listChanged: true },
      ...(resources === undefined ? {} : { resources: { subscribe: true, listChanged: true } }),
    },
    instructions: instructionsFor(setting, setting.readOnly === true ? '' : await posture(), await filesNode?.()),
    listTtlMs: 60_000,
  };
}

/** The instructions for models. Short, and with the usual search words: some clients find tools by these words. */
function instructionsFor(
  { workspace, agent, readOnly = false }: ServerSetting,
  posture: string,
  node: string | undefined,
): string {
  const here = `the workspace ${shownText(workspace)} on this machine`;
  const as = `as the agent ${shownText(agent)}`;
  const remote = node === undefined ? undefined : `the workspace of node ${shownText(node)}`;
  const paths = `Paths are relative to ${remote ?? 'the workspace'}.`;
  if (readOnly)
    return [
      `Read-only access to files of ${remote ?? here}, ${as}.`,
      'read shows text, images, PDFs and notebooks; path reads or finds one place in Markdown, JSON, JSONL or YAML by its oc:// address.',
      `${paths} Writing files and running commands is not possible.`,
    ].join('\n');
  return [
    `Files${remote === undefined ? '' : ` in ${remote},`} and shell commands in ${here}, ${as}: read, write, edit and patch files, run terminal commands (bash, shell, exec), follow background processes.`,
    `${paths} path reads or changes one place in Markdown, JSON, JSONL or YAML by its oc:// address, byte-exact around it.`,
    'exec returns the output, or after yieldMs (default 10 s) a sessionId: follow that session with process (poll, log, write, send-keys, kill).',
    `Here ${shownText(posture)}.`,
    'A person decides about a command that needs approval. Status approval-pending means that it has not run: tell the user the command that allows it and continue with other work. Do not repeat or rephrase a denied command.',
  ].join('\n');
}
