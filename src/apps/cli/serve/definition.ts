import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'serve',
  summary: 'serve the tools over HTTP: MCP, and one request for each call',
  examples: ['serve --workspace . --port 7462'],
  usage: [
    { line: 'serve [--workspace <dir>] [--port <n>]', summary: 'serve on 127.0.0.1:7462 until it is interrupted' },
  ],
  positionals: [],
  flags: [
    {
      name: '--workspace',
      value: '<dir>',
      summary: 'the folder that the tools work in (the current one)',
      completes: 'folder',
    },
    { name: '--agent', value: '<id>', summary: 'whose tools these are (main)' },
    { name: '--conversation', value: '<id>', summary: 'the conversation that sessions and overrides belong to' },
    { name: '--port', value: '<n>', summary: 'the port (7462); 0 takes any that is free' },
    { name: '--host', value: '<address>', summary: 'the address to listen on (127.0.0.1); others need --token-file' },
    {
      name: '--token-file',
      value: '<file>',
      summary: 'take the token from this file instead of making one',
      completes: 'file',
    },
    { name: '--model', value: '<name>', summary: 'the model that clients run on; decides about apply_patch' },
    {
      name: '--preset',
      value: '<family>',
      summary: 'list parameters by the names that a family of models knows',
      values: ['claude', 'codex', 'openclaw', 'minimal'],
    },
    { name: '--allow-undo', summary: 'offer the tool changes, with undo and redo' },
    { name: '--json', summary: 'the form of what it says when it is ready' },
    { name: '--human', summary: 'the form of what it says when it is ready' },
  ],
  notes: [
    'Every request but GET /healthz brings the token: Authorization: Bearer, with the content of the file that is named at the start. It is made once, and only you can read it.',
    'With --json it prints one line {url, tokenFile, pid, workspace} when it is ready. SIGTERM and SIGINT end it: answers in work are given five seconds, then its sessions are ended.',
    'It takes the place of the daemon of the state folder, so that pincer ps, approvals and the others reach it. Where a daemon has running sessions, commands run through that one.',
    'A command that needs a person is asked about in the client where it can, else it waits: pincer approvals.',
  ],
  exit: 'exit 0 ended as asked, 2 wrong arguments, 3 it could not listen or start, 130 interrupted twice',
};
