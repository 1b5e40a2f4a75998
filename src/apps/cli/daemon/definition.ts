import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'daemon',
  summary: 'the process that holds the sessions',
  title: 'the small local process that holds all sessions of a state folder',
  examples: ['daemon status', 'daemon stop --force'],
  usage: [
    { line: 'daemon status', summary: 'whether it runs, since when, and what it holds' },
    { line: 'daemon stop [--force]', summary: 'ends it; with --force also when sessions run, which it ends first' },
    { line: 'daemon run', summary: 'runs it here, in the foreground' },
  ],
  positionals: ['verb'],
  verbs: ['status', 'stop', 'run'],
  flags: [{ name: '--force', summary: 'also when sessions run, which it ends first', verbs: ['stop'] }, ...FORM_FLAGS],
  notes: [
    'Commands start it when they need it. It listens on a socket that only you can reach, never on the network, and leaves after ten minutes without sessions, open questions and clients (PINCER_DAEMON_IDLE_MS).',
  ],
  exit: 'exit 0 done, 1 status: none runs; stop: sessions run, 2 wrong arguments, 3 it cannot be reached',
};
