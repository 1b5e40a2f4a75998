import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'daemon',
  summary: 'show, stop or run the daemon',
  title: 'show, stop or run the local process that owns all sessions of a state folder',
  examples: ['daemon status', 'daemon stop --force'],
  usage: [
    { line: 'daemon status', summary: 'show whether it runs, since when, and its sessions' },
    { line: 'daemon stop [--force]', summary: 'stop it; refused while sessions run, unless --force' },
    { line: 'daemon run', summary: 'run it in the foreground' },
  ],
  positionals: ['verb'],
  verbs: ['status', 'stop', 'run'],
  flags: [{ name: '--force', summary: 'end running sessions first', verbs: ['stop'] }, ...FORM_FLAGS],
  notes: [
    'Commands start the daemon when they need it. It listens on a socket that only you can open, never on the network. It exits after ten minutes without sessions, pending approvals and clients (PINCER_DAEMON_IDLE_MS).',
  ],
  exit: '0 done; 1 status: not running, stop: sessions are running; 2 invalid arguments; 3 the daemon cannot be reached',
};
