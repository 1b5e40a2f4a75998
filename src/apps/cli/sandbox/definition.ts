import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import { AGENT_FLAG, CONVERSATION_FLAG, WORKSPACE_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'sandbox',
  summary: 'explain, list, recreate or open sandboxes',
  title: 'explain, list, recreate or open the sandboxes that commands and file tools run in',
  examples: ['sandbox explain', 'sandbox shell --agent main'],
  usage: [
    { line: 'sandbox explain', summary: 'show whether an agent has a sandbox here, why, and what it isolates' },
    { line: 'sandbox list', summary: 'list running sandboxes' },
    {
      line: 'sandbox recreate --agent <id> | --all',
      summary: 'end sandboxes and all processes in them; the next command gets a new one',
    },
    { line: 'sandbox shell', summary: 'open a shell in the sandbox of an agent' },
  ],
  positionals: ['verb'],
  verbs: ['explain', 'list', 'recreate', 'shell'],
  flags: [
    {
      ...AGENT_FLAG,
      summary: 'select this agent (default for explain and shell: $PINCER_AGENT, or main)',
      verbs: ['explain', 'recreate', 'shell'],
    },
    {
      ...CONVERSATION_FLAG,
      summary: 'act in this conversation, for sandbox.scope session and sandbox.mode non-main',
      verbs: ['explain', 'shell'],
    },
    { ...WORKSPACE_FLAG, verbs: ['explain'] },
    { name: '--all', summary: 'end the sandboxes of all agents', verbs: ['recreate'] },
    ...FORM_FLAGS,
  ],
  notes: [
    'sandbox.mode in pincer.jsonc sets which agents run in a sandbox: off (none), non-main (all except the agent main in its own conversation) or all. If a required sandbox is unavailable, commands fail; they never run on this machine instead.',
  ],
  exit: "0 done; 1 explain: no sandbox, or it does not work here; 2 invalid arguments; 3 the daemon cannot be reached, or no sandbox is available; shell: the shell's own exit code",
};
