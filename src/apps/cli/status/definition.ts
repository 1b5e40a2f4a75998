import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import { AGENT_FLAG, WORKSPACE_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'status',
  summary: 'show sessions, pending approvals, policy and configuration',
  examples: ['status', 'status --json'],
  usage: [{ line: 'status', summary: 'print one screen; nothing is started or changed' }],
  positionals: [],
  flags: [
    WORKSPACE_FLAG,
    { ...AGENT_FLAG, summary: 'show the policy of this agent (default: $PINCER_AGENT, or main)' },
    ...FORM_FLAGS,
  ],
  exit: '0 done; 2 invalid arguments; 3 the state folder is unusable',
};
