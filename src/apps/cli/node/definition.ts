import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

const RUN = ['run'];

export const definition: CommandDefinition = {
  name: 'node',
  summary: 'run commands for a gateway on another machine',
  title: 'make this machine a node: a gateway runs commands here, and the rules of this machine judge them',
  examples: [
    'node run --gateway wss://gateway.example:7463 --workspace ~/work',
    'node run --invitation "$INVITATION" --name build-1',
    'node status',
  ],
  usage: [
    { line: 'node run [options]', summary: 'connect to the gateway, and serve it until interrupted' },
    { line: 'node status', summary: 'show the identity, the gateway and the connection of this node' },
    { line: 'node forget', summary: 'forget the paired gateway; the next node run pairs again' },
  ],
  verbs: [
    { name: 'run', positionals: [] },
    { name: 'status', positionals: [] },
    { name: 'forget', positionals: [] },
  ],
  flags: [
    {
      name: '--gateway',
      value: '<url>',
      summary: 'address of the gateway (default: node.gateway, or the address of the last pairing)',
      verbs: RUN,
    },
    {
      name: '--invitation',
      value: '<text>',
      summary: 'pair with what pincer nodes invite printed; - reads it from stdin',
      verbs: RUN,
    },
    {
      name: '--workspace',
      value: '<dir>',
      summary: 'folder of the commands (default: node.workspace, or the home folder)',
      completes: 'folder',
      verbs: RUN,
    },
    {
      name: '--name',
      value: '<name>',
      summary: 'name at the gateway (default: node.name, or the host name)',
      verbs: RUN,
    },
    ...FORM_FLAGS,
  ],
  notes: [
    'Without an invitation, node run prints eight digits. The operator of the gateway compares them in pincer nodes pending and runs pincer nodes approve. The node then accepts only the key of this gateway.',
    'The configuration and exec-approvals.json of this machine decide about each command; the gateway can only restrict them. Agents of a gateway are called <gateway id>/<agent> here.',
    'node run replaces the daemon of the state folder, so pincer ps, approvals and other commands reach it. It reconnects after an interruption; running commands continue meanwhile.',
    'With --json, node run prints one line for each state of the connection: connecting, pending with code, connected, disconnected.',
  ],
  exit: '0 stopped or done; 1 status: not running and not paired, forget: no gateway or node run is running; 2 invalid arguments; 3 could not start, or the gateway refuses this node; 130 interrupted twice',
};
