import { ASKS, HOST_NAMES, SECURITIES } from '../../../wire/policy.ts';
import { type CommandDefinition, QUIET_FLAG, RAW_FLAG } from '../definition.ts';
import { AGENT_FLAG, CONVERSATION_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'exec',
  summary: 'run a command as a session, subject to the policy',
  title: 'run a command as a session, and exit with its exit code',
  examples: ['exec -- npm test', "exec -c 'ls | wc -l'", 'exec --background -- npm run dev', 'exec --pty -- python3'],
  usage: [
    { line: 'exec [options] -- <program> [argument…]', summary: 'run a program; arguments are quoted as needed' },
    { line: "exec [options] -c '<command>'", summary: "run a shell command, such as 'ls | wc -l'" },
  ],
  completes: 'command',
  flags: [
    { name: '--command', short: '-c', value: '<text>', summary: 'run this shell command' },
    {
      name: '--workdir',
      value: '<dir>',
      summary: 'run in this folder (default: the current directory)',
      completes: 'folder',
    },
    {
      name: '--env',
      value: '<name>=<value>',
      summary: 'set an environment variable (repeatable)',
      mayBeEmpty: true,
    },
    {
      name: '--timeout',
      value: '<seconds>',
      summary: 'end the command after this time, also in the background; 0 disables (default: 1800)',
    },
    {
      name: '--pty',
      summary: 'run in a new terminal; from a terminal, Ctrl-\\ detaches and the command keeps running',
    },
    { name: '--no-pty', summary: 'run with pipes' },
    { name: '--background', summary: 'print the session id and return; see pincer logs, attach, kill' },
    {
      name: '--yield',
      value: '<ms>',
      summary: 'wait at most this long (10 to 120000), then leave the command in the background',
    },
    { name: '--host', value: '<where>', values: HOST_NAMES, summary: 'run on sandbox, gateway (this machine) or node' },
    { name: '--node', value: '<name>', summary: 'run on this node; needs --host node' },
    {
      name: '--security',
      value: '<mode>',
      values: SECURITIES,
      summary: `${SECURITIES.join(', ')}; may only make rules stricter`,
    },
    {
      name: '--ask',
      value: '<mode>',
      values: ASKS,
      summary: `${ASKS.join(', ')}; may only make rules stricter`,
    },
    { name: '--elevated', summary: 'run outside the sandbox, if that is allowed' },
    AGENT_FLAG,
    CONVERSATION_FLAG,
    { name: '--wait', summary: 'wait for the approval if one is needed' },
    RAW_FLAG,
    QUIET_FLAG,
    { name: '--json', summary: 'print the result as JSON at the end, with the output in it' },
  ],
  notes: [
    'Options come before the command; everything after the program name belongs to it.',
    'Standard output and standard error stay separate. They pass unchanged in a pipe; on a terminal, escape sequences other than colours and styles are removed. Standard input is passed on if it is a pipe or a file; from a terminal only with --pty, as in pincer exec --pty -- python3. Ctrl-C interrupts the command (SIGINT). A second Ctrl-C, or 5 s without an exit, ends it with all its child processes.',
  ],
  exit: "the command's own exit code; 128+n signal n ended the command; 124 timeout; 127 the command did not start; 1 denied; 2 invalid arguments; 3 the daemon cannot be reached; 4 an approval is pending",
};
