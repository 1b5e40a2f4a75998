import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import { AGENT_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'say',
  summary: 'send an /exec or /approve message to a conversation',
  examples: ["say --conversation C '/exec host=gateway ask=always'", "say --conversation C '/exec reset'"],
  usage: [
    {
      line: "say --conversation C '/exec host=gateway security=allowlist ask=on-miss'",
      summary: 'override exec settings in this conversation',
    },
    { line: 'say --conversation C /exec', summary: 'show the effective exec settings' },
    { line: "say --conversation C '/exec reset'", summary: 'remove the overrides' },
    { line: "say --conversation C --sender S '/approve ID allow-once'", summary: 'answer an approval request' },
  ],
  positionals: ['message'],
  completes: ['/exec', '/approve'],
  flags: [
    { name: '--conversation', value: '<id>', summary: 'send the message to this conversation' },
    { name: '--sender', value: '<name>', summary: 'send the message as this person (default: the operator)' },
    AGENT_FLAG,
    ...FORM_FLAGS,
  ],
  notes: [
    '/exec changes the conversation only, never a file. A sender other than the operator must be in commands.allowFrom, unless commands.useAccessGroups is false. node:<id> is a paired node, which may use /exec only.',
  ],
  exit: '0 done; 1 refused; 2 invalid arguments; 3 the daemon cannot be reached',
};
