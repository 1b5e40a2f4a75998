import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'ps',
  summary: 'list running sessions',
  title: 'list the sessions of all agents, newest first',
  examples: ['ps --all'],
  usage: [
    { line: 'ps', summary: 'list running sessions, and ended sessions with leftover processes (shown as "1 left")' },
    { line: 'ps --all', summary: 'include ended sessions that are still stored' },
  ],
  positionals: [],
  flags: [{ name: '--all', summary: 'include ended sessions' }, ...FORM_FLAGS],
  exit: '0 done; 2 invalid arguments; 3 the daemon cannot be reached',
};
