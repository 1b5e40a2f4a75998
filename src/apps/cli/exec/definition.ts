import { ASKS, HOST_NAMES, SECURITIES } from '../../../wire/policy.ts';
import { type CommandDefinition, QUIET_FLAG, RAW_FLAG } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'exec',
  summary: 'run a command as a session, judged by the policy',
  title: 'run a command as a session, and exit as it did',
  examples: ['exec -- npm test', "exec -c 'ls | wc -l'", 'exec --background -- npm run dev', 'exec --pty -- python3'],
  usage: [
    { line: 'exec [flags] -- <program> [argument…]', summary: 'words; what needs quotes gets them' },
    { line: "exec [flags] -c '<command>'", summary: "a command's text, such as 'ls | wc -l'" },
  ],
  completes: 'command',
  flags: [
    { name: '--command', short: '-c', value: '<text>', summary: "the command's text, instead of words" },
    { name: '--workdir', value: '<dir>', summary: 'where it runs (the working folder)', completes: 'folder' },
    {
      name: '--env',
      value: '<name>=<value>',
      summary: 'a variable for it; may be given many times',
      mayBeEmpty: true,
    },
    {
      name: '--timeout',
      value: '<seconds>',
      summary: 'ends it after this time, also in the background (default 1800; 0 for never)',
    },
    {
      name: '--pty',
      summary:
        'in a terminal of its own; on a terminal, keys and size are passed on, and Ctrl-\\ leaves it running in the background',
    },
    { name: '--no-pty', summary: 'with pipes' },
    { name: '--background', summary: 'prints the id of the session and goes; see pincer logs, attach, kill' },
    {
      name: '--yield',
      value: '<ms>',
      summary: 'waits this long (10 to 120000); then the session goes on in the background',
    },
    {
      name: '--host',
      value: '<where>',
      values: HOST_NAMES,
      summary: 'sandbox, gateway (this machine), node',
    },
    { name: '--node', value: '<name>', summary: 'which node' },
    {
      name: '--security',
      value: '<mode>',
      values: SECURITIES,
      summary: `${SECURITIES.join(', ')}: only tighter than what is set`,
    },
    {
      name: '--ask',
      value: '<mode>',
      values: ASKS,
      summary: `${ASKS.join(', ')}: only tighter than what is set`,
    },
    { name: '--elevated', summary: 'outside of the sandbox, where that is allowed' },
    { name: '--agent', value: '<id>', summary: 'for this agent (PINCER_AGENT, else main)' },
    { name: '--conversation', value: '<id>', summary: 'in this conversation' },
    { name: '--wait', summary: 'when a person has to approve it, waits for the answer' },
    RAW_FLAG,
    QUIET_FLAG,
    { name: '--json', summary: 'what became of it as JSON, with the output in it, at the end' },
  ],
  notes: [
    'Flags stand in front of the command; what follows its first word belongs to it.',
    'Standard output and error come apart, as the command writes them: byte for byte in a pipe; on a terminal without escape sequences other than colours and styles. Standard input is passed on when it is a pipe or a file; from a terminal only with --pty, as in pincer exec --pty -- python3. Ctrl-C interrupts the command (SIGINT); pressed again, or when the command has not ended after 5 s, it ends the command with all that it started.',
  ],
  exit: "exit: the command's own code, 128 + n when signal n ended it, 124 timeout, 127 not started; 4 an approval is pending, 1 denied, 2 wrong arguments, 3 the daemon cannot be reached",
};
