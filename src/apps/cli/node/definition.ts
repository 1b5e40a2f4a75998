import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import { UNIT_FLAGS, UNIT_VERBS } from '../flags.ts';

const CONNECTING = ['run', 'pair'];

export const definition: CommandDefinition = {
  name: 'node',
  summary: 'run commands for a gateway on another machine',
  title: 'make this machine a node: a gateway runs commands here, and the rules of this machine judge them',
  examples: [
    'node run --gateway wss://gateway.example:7463 --workspace ~/work',
    'node pair --invitation - --name build-1',
    'node confirm 12345678',
    'node status',
  ],
  usage: [
    { line: 'node pair --gateway <url> | --invitation <text>', summary: 'pair this machine with a gateway, and exit' },
    {
      line: 'node confirm <digits>',
      summary: 'confirm a pairing by digits: those that pincer nodes approve printed on the gateway',
    },
    { line: 'node run [options]', summary: 'connect to the gateway, and serve it until interrupted' },
    { line: 'node status', summary: 'show the identity, the gateway and the connection of this node' },
    { line: 'node rotate', summary: 'replace the key of this node; its id and its pairing stay' },
    { line: 'node install [options]', summary: 'write a systemd user unit that runs pincer node run' },
    { line: 'node uninstall', summary: 'remove that unit' },
    { line: 'node forget', summary: 'forget the paired gateway; the next node run pairs again' },
  ],
  verbs: [
    { name: 'pair', positionals: [] },
    { name: 'confirm', positionals: ['digits', '[more-digits]'] },
    { name: 'run', positionals: [] },
    { name: 'status', positionals: [] },
    { name: 'rotate', positionals: [] },
    { name: 'forget', positionals: [] },
    ...UNIT_VERBS,
  ],
  flags: [
    {
      name: '--gateway',
      value: '<url>',
      summary: 'address of the gateway (default: node.gateway, or the address of the last pairing)',
      verbs: CONNECTING,
    },
    {
      name: '--invitation',
      value: '<text>',
      summary: 'pair with what pincer nodes invite printed; - reads it from stdin, so that other users cannot see it',
      verbs: CONNECTING,
    },
    {
      name: '--proxy',
      summary:
        'pair through a reverse proxy that terminates TLS: the node verifies its certificate, and trusts it; the pairing stores it',
      verbs: CONNECTING,
    },
    {
      name: '--workspace',
      value: '<dir>',
      summary:
        'folder of commands and file tools, for this run (default: node.workspace, or the home folder); offers its files, see node.files',
      completes: 'folder',
      verbs: ['run', 'install'],
    },
    {
      name: '--name',
      value: '<name>',
      summary: 'name at the gateway (default: node.name, or the host name)',
      verbs: [...CONNECTING, 'install'],
    },
    ...UNIT_FLAGS,
    ...FORM_FLAGS,
  ],
  notes: [
    'Without an invitation, node pair and node run print eight digits. The operator of the gateway compares them in pincer nodes pending and runs pincer nodes approve. The node then accepts only the key of this gateway. Until node confirm was run here, each command of the gateway needs an answer on this machine, and it offers no files.',
    'The configuration and exec-approvals.json of this machine decide about each command; the gateway can only restrict them, and answer their questions as node.answers allows (default: once). Agents of a gateway are called <gateway id>/<agent> here.',
    'File tools of the gateway work only in a workspace that --workspace or node.workspace names. --workspace counts for one run, or in the unit of node install; pincer config set node.workspace keeps it. node.files is then rw; ro allows only reading, none nothing.',
    'node run replaces the daemon of the state folder, so pincer ps, approvals and other commands reach it. It reconnects after an interruption; running commands continue in the meantime.',
    'node install writes ~/.config/systemd/user/pincer-node.service with the given options, and prints the commands that start it. It starts nothing itself.',
    'With --json, node run prints one line for each state of the connection: connecting, pending with code, connected (confirmed: whether node confirm is done or not needed), disconnected.',
  ],
  exit: '0 stopped or done; 1 status: not running and not paired, forget: no gateway, pair or forget: node run is running; 2 invalid arguments; 3 could not start, the gateway refuses this node, or confirm: other digits; 130 interrupted twice, pair: interrupted',
};
