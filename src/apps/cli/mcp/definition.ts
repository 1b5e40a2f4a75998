import type { CommandDefinition } from '../definition.ts';
import {
  AGENT_FLAG,
  ALLOW_UNDO_FLAG,
  BOUNDARY_FLAG,
  CONVERSATION_FLAG,
  HARD_LINKS_FLAG,
  MODEL_CONTEXT_FLAG,
  MODEL_FLAG,
  PRESET_FLAG,
  PROTECT_FLAG,
  SECRETS_FLAG,
  STALE_CHECK_FLAG,
  WORKSPACE_FLAG,
} from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'mcp',
  summary: 'serve the tools over MCP on standard input and output',
  examples: ['mcp --workspace . --read-only', 'mcp --preset codex'],
  usage: [{ line: 'mcp [options]', summary: 'run from the configuration of a client, which pincer init writes' }],
  positionals: [],
  flags: [
    WORKSPACE_FLAG,
    AGENT_FLAG,
    CONVERSATION_FLAG,
    { ...MODEL_FLAG, summary: `${MODEL_FLAG.summary} (default: the name of the client)` },
    PRESET_FLAG,
    { name: '--read-only', summary: 'offer only read, and path without set and delete' },
    ALLOW_UNDO_FLAG,
    BOUNDARY_FLAG,
    SECRETS_FLAG,
    MODEL_CONTEXT_FLAG,
    HARD_LINKS_FLAG,
    PROTECT_FLAG,
    STALE_CHECK_FLAG,
  ],
  notes: [
    'Supports the protocol versions 2026-07-28 and those of 2025. If a command needs approval, the client asks its user if it can; otherwise the command waits for pincer approvals allow.',
    'Standard output contains only protocol messages; notices go to standard error.',
  ],
  exit: '0 the client disconnected; 2 invalid arguments; 3 internal or system error',
};
