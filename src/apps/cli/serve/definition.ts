import { LINK_MINUTES } from '../../../wire/page/login-terms.ts';
import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import {
  AGENT_FLAG,
  ALLOW_UNDO_FLAG,
  CONVERSATION_FLAG,
  MODEL_FLAG,
  PRESET_FLAG,
  UNIT_FLAGS,
  UNIT_VERBS,
  WORKSPACE_FLAG,
} from '../flags.ts';

export const serve: CommandDefinition = {
  name: 'serve',
  summary: 'serve the tools over HTTP, as MCP and as plain requests',
  examples: ['serve --workspace . --port 7462'],
  usage: [{ line: 'serve [options]', summary: 'listen on 127.0.0.1:7462 until interrupted' }],
  positionals: [],
  flags: [
    WORKSPACE_FLAG,
    AGENT_FLAG,
    CONVERSATION_FLAG,
    { name: '--port', value: '<n>', summary: 'listen on this port; 0 picks a free one (default: 7462)' },
    {
      name: '--host',
      value: '<address>',
      summary: 'listen on this address (default: 127.0.0.1); any other needs --token-file',
    },
    {
      name: '--token-file',
      value: '<file>',
      summary: 'read the token from this file (default: create one in the state folder)',
      completes: 'file',
    },
    MODEL_FLAG,
    PRESET_FLAG,
    ALLOW_UNDO_FLAG,
    ...FORM_FLAGS,
  ],
  notes: [
    'Requests for tools need the header Authorization: Bearer <token>. The token is in the file that serve names at start; only you can read it.',
    `serve also serves the control page, and prints a link that logs one browser in, once, within ${LINK_MINUTES} minutes. pincer page prints a new one.`,
    'With --json, serve prints one line {url, tokenFile, pid, workspace, commands, page} when it is ready; commands says what happens to commands, page is the link. On SIGTERM or SIGINT it finishes running requests for up to five seconds, then ends its sessions.',
    'serve replaces the daemon of the state folder, so pincer ps, approvals and other commands reach it. If a daemon has running sessions, commands run in that daemon.',
    'If a command needs approval, the client asks its user if it can; otherwise the command waits for the control page or pincer approvals allow.',
  ],
  exit: '0 stopped; 2 invalid arguments; 3 could not listen or start; 130 interrupted twice',
};

export const gateway: CommandDefinition = {
  name: 'gateway',
  summary: 'serve the tools over HTTP, and let nodes connect',
  examples: ['gateway --workspace . --port 7462', 'gateway install --workspace .'],
  usage: [
    { line: 'gateway [options]', summary: 'serve as pincer serve does, and listen for nodes on nodes.listen' },
    { line: 'gateway install [options]', summary: 'write a systemd user unit that runs pincer gateway' },
    { line: 'gateway uninstall', summary: 'remove that unit' },
  ],
  positionals: [],
  verbs: UNIT_VERBS,
  flags: [...serve.flags, ...UNIT_FLAGS],
  notes: [
    'gateway is the daemon of its state folder: pincer exec, ps, approvals and nodes reach it. An idle daemon exits for it; one that runs sessions is an error.',
    'The address for nodes is the setting nodes.listen, such as 127.0.0.1:7463. It accepts only paired nodes and requests for pairing, over TLS. pincer nodes invite pairs a machine.',
    'With --json, gateway prints one line {url, tokenFile, pid, workspace, commands, page, nodes: {url}} when it is ready. On SIGTERM or SIGINT it finishes running requests for up to five seconds, then ends its sessions.',
    'gateway install writes ~/.config/systemd/user/pincer-gateway.service with the given options, and prints the commands that start it. It starts nothing itself.',
  ],
  exit: '0 stopped or done; 1 uninstall: there is no unit; 2 invalid arguments; 3 could not listen or start; 130 interrupted twice',
};
