/** What a model hears of the server before it calls anything; some clients show it, others find tools by its words. */
import { shownText } from '../../policy/explain.ts';
import type { ServerSetting } from './options.ts';

/** The instructions of a server: short, and with the words that somebody would search for. */
export function instructionsFor({ workspace, agent, readOnly = false }: ServerSetting, posture: string): string {
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
