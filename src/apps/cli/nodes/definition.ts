import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

const SETUP = ['nats-setup'];

export const definition: CommandDefinition = {
  name: 'nodes',
  summary: 'pair other machines with this gateway and manage them',
  examples: ['nodes invite', 'nodes pending', 'nodes approve 12345678', 'nodes rename mac build-mac'],
  usage: [
    { line: 'nodes list', summary: 'list paired nodes, machines that wait for approval, and removed nodes' },
    { line: 'nodes pending', summary: 'list machines that wait for approval, with their codes' },
    { line: 'nodes approve <code> [--replaces <node>]', summary: 'pair the machine that shows these eight digits' },
    { line: 'nodes reject <node>', summary: 'refuse a machine that waits' },
    { line: 'nodes invite [--url <url>]', summary: 'print an invitation that pairs one machine without approval' },
    { line: 'nodes show <node>', summary: 'show one node' },
    { line: 'nodes rename <node> <name>', summary: 'rename a paired node' },
    { line: 'nodes remove <node>', summary: 'revoke a node and close its connection; a removed node leaves the list' },
    {
      line: 'nodes nats-setup [--dir <dir>] [--servers <urls>]',
      summary: 'write keys and server files for a gateway whose nodes connect through NATS',
    },
  ],
  verbs: [
    { name: 'list', positionals: [] },
    { name: 'pending', positionals: [] },
    { name: 'approve', positionals: ['code', '[more-digits]'] },
    { name: 'reject', positionals: ['node'] },
    { name: 'invite', positionals: [] },
    { name: 'show', positionals: ['node'] },
    { name: 'rename', positionals: ['node', 'name'] },
    { name: 'remove', positionals: ['node'] },
    { name: 'nats-setup', positionals: [] },
  ],
  flags: [
    {
      name: '--replaces',
      value: '<node>',
      summary: 'give it the name of this node, and remove that one',
      verbs: ['approve'],
    },
    {
      name: '--url',
      value: '<url>',
      summary:
        'put this address into the invitation (default: the NATS servers, or the one that the gateway listens on); needed where nodes.tls is proxy',
      verbs: ['invite'],
    },
    {
      name: '--dir',
      value: '<dir>',
      summary: 'new folder for the files (default: nats in the state folder)',
      completes: 'folder',
      verbs: SETUP,
    },
    {
      name: '--servers',
      value: '<urls>',
      summary: 'addresses of the NATS servers, separated by commas (default: nats://127.0.0.1:4222)',
      verbs: SETUP,
    },
    {
      name: '--store',
      value: '<dir>',
      summary: 'folder on each server for its data (default: a folder next to its configuration)',
      verbs: SETUP,
    },
    { name: '--cert', value: '<file>', summary: 'certificate on the servers, PEM; needed for tls://', verbs: SETUP },
    { name: '--key', value: '<file>', summary: 'private key of the certificate on the servers', verbs: SETUP },
    ...FORM_FLAGS,
  ],
  notes: [
    'Start the gateway with pincer gateway, and a node with pincer node run on the other machine. Both show the same eight digits: compare them, then approve these digits. A request waits five minutes.',
    'An invitation pairs one machine, once, within ten minutes: pincer node run --invitation - reads it from stdin. Treat it as a password.',
    'nats-setup writes a configuration file for each nats-server (2.9 or newer) and credentials for gateways, once. Servers of tls:// are for other machines, nats:// is for loopback. The route port of a server is its port + 2000.',
    'A node is named by its id, its name, or the first six letters of its id or more. approve takes the eight digits or the whole id, and no name, because a machine reports its own name.',
  ],
  exit: '0 done; 1 there is no such node, or it was refused; 2 invalid arguments; 3 the gateway does not run or does not listen',
};
