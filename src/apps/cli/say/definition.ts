import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'say',
  summary: 'type a message into a conversation',
  examples: ["say --conversation C '/exec host=gateway ask=always'", "say --conversation C '/exec reset'"],
  usage: [
    { line: "say --conversation C '/exec host=gateway security=allowlist ask=on-miss'", summary: '' },
    { line: 'say --conversation C /exec', summary: 'show the values that hold' },
    { line: "say --conversation C '/exec reset'", summary: 'forget what /exec set in this conversation' },
    { line: "say --conversation C --sender S '/approve ID allow-once'", summary: '' },
  ],
  positionals: ['message'],
  completes: ['/exec', '/approve'],
  flags: [
    { name: '--conversation', value: '<C>', summary: 'the conversation that the message belongs to' },
    { name: '--sender', value: '<S>', summary: 'who said it (default: the operator at this command line)' },
    { name: '--agent', value: '<ID>', summary: 'whose conversation it is (default: PINCER_AGENT or main)' },
    ...FORM_FLAGS,
  ],
  notes: [
    '/exec changes the conversation only, never a file. A sender other than the operator must be on commands.allowFrom, unless commands.useAccessGroups is false.',
  ],
  exit: 'exit 0 done, 1 refused, 2 wrong arguments, 3 the daemon cannot be reached',
};
