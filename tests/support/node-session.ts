/** A session as a node reports it when its command has started. */
export const NODE_SESSION = {
  id: 'quiet-mole',
  agent: 'main',
  command: 'true',
  name: 'true',
  cwd: '/',
  host: 'gateway',
  status: 'running',
  startedAt: 1,
  backgrounded: true,
  stdinOpen: false,
  waitingForInput: false,
  bytes: 0,
  truncated: false,
  tail: '',
} as const;

/** The same session after its command. */
export const ENDED_NODE_SESSION = { ...NODE_SESSION, status: 'completed', exitCode: 0, endedAt: 2 } as const;
