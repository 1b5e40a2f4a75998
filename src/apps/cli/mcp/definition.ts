import type { CommandDefinition } from '../definition.ts';
import { HARD_LINKS_FLAG, MODEL_CONTEXT_FLAG, PROTECT_FLAG, SECRETS_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'mcp',
  summary: 'serve the tools to an agent over MCP, on standard input and output',
  examples: ['mcp --workspace . --read-only', 'mcp --preset codex'],
  usage: [{ line: 'mcp [flags]', summary: 'for the settings of a client: pincer init writes them' }],
  positionals: [],
  flags: [
    {
      name: '--workspace',
      value: '<dir>',
      completes: 'folder',
      summary: 'where relative paths start, and what no path may leave (the working folder)',
    },
    { name: '--agent', value: '<id>', summary: 'as which agent (PINCER_AGENT, else main)' },
    { name: '--conversation', value: '<id>', summary: 'kept with every change; its /exec values hold for exec' },
    {
      name: '--model',
      value: '<name>',
      summary: "the model that calls, which decides whether apply_patch is offered (default: the client's name)",
    },
    {
      name: '--preset',
      value: '<family>',
      values: ['claude', 'codex', 'openclaw', 'minimal'],
      summary: 'list the names of parameters that a family of models knows: claude, codex, openclaw, minimal',
    },
    { name: '--read-only', summary: 'offer only what changes nothing: read, and path without set and delete' },
    { name: '--allow-undo', summary: 'offer the tool changes, with undo and redo' },
    { name: '--no-workspace-only', summary: 'allow paths outside of the workspace' },
    SECRETS_FLAG,
    MODEL_CONTEXT_FLAG,
    HARD_LINKS_FLAG,
    PROTECT_FLAG,
    {
      name: '--stale-check',
      value: '<how>',
      values: ['off', 'advise', 'refuse'],
      summary: 'off, advise or refuse when a file is not as this agent last read it (tools.fs.staleCheck, else advise)',
    },
  ],
  notes: [
    'Serves the protocol of 2026-07-28 and those of 2025. A command that needs a person is asked about in the client where that can ask; else it waits for pincer approvals allow.',
    'Standard output holds nothing but messages; what is worth knowing beside them goes to standard error.',
  ],
  exit: 'exit: 0 when the client has left, 2 wrong arguments, 3 the machine failed',
};
