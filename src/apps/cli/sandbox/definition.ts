import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import { AGENT_FLAG, WORKSPACE_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'sandbox',
  summary: 'the sandboxes that agents work in',
  title: 'the sandboxes that commands and file tools of agents run in',
  examples: ['sandbox explain', 'sandbox shell --agent main'],
  usage: [
    { line: 'sandbox explain', summary: 'whether there is one for an agent here, why, and what it promises' },
    { line: 'sandbox list', summary: 'those that run' },
    {
      line: 'sandbox recreate --agent <id> | --all',
      summary: 'ends them, with all in them; the next command gets a new one',
    },
    { line: 'sandbox shell', summary: 'a shell in the sandbox of an agent' },
  ],
  positionals: ['verb'],
  verbs: ['explain', 'list', 'recreate', 'shell'],
  flags: [
    {
      ...AGENT_FLAG,
      summary: 'the agent whose it is (PINCER_AGENT, else main)',
      verbs: ['explain', 'recreate', 'shell'],
    },
    {
      name: '--conversation',
      value: '<id>',
      summary: 'its conversation, for sandbox.scope session and sandbox.mode non-main',
      verbs: ['explain', 'shell'],
    },
    { ...WORKSPACE_FLAG, summary: 'the folder that the agent works in (the working folder)', verbs: ['explain'] },
    { name: '--all', summary: 'those of all agents', verbs: ['recreate'] },
    ...FORM_FLAGS,
  ],
  notes: [
    'sandbox.mode in pincer.jsonc says which agents work in a sandbox: none (off), all but the agent main in its own conversation (non-main), or all (all). A sandbox that was asked for and cannot be had is an error; nothing runs on this machine instead.',
  ],
  exit: "exit 0, shell: the shell's own code, 1 explain: there is none, or it does not work here, 2 wrong arguments, 3 the daemon cannot be reached, or there is no sandbox",
};
