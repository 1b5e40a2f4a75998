import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'nodes',
  summary: 'pair other machines with this gateway and manage them',
  examples: ['nodes invite', 'nodes pending', 'nodes approve mac', 'nodes rename mac build-mac'],
  usage: [
    { line: 'nodes list', summary: 'list paired nodes, machines that wait for approval, and removed nodes' },
    { line: 'nodes pending', summary: 'list machines that wait for approval, with their codes' },
    { line: 'nodes approve <node> [--replaces <node>]', summary: 'pair a machine that waits' },
    { line: 'nodes reject <node>', summary: 'refuse a machine that waits' },
    { line: 'nodes invite [--url <url>]', summary: 'print an invitation that pairs one machine without approval' },
    { line: 'nodes show <node>', summary: 'show one node' },
    { line: 'nodes rename <node> <name>', summary: 'rename a paired node' },
    { line: 'nodes remove <node>', summary: 'revoke a node and close its connection; a removed node leaves the list' },
  ],
  verbs: [
    { name: 'list', positionals: [] },
    { name: 'pending', positionals: [] },
    { name: 'approve', positionals: ['node'] },
    { name: 'reject', positionals: ['node'] },
    { name: 'invite', positionals: [] },
    { name: 'show', positionals: ['node'] },
    { name: 'rename', positionals: ['node', 'name'] },
    { name: 'remove', positionals: ['node'] },
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
      summary: 'put this address into the invitation (default: the one that the gateway listens on)',
      verbs: ['invite'],
    },
    ...FORM_FLAGS,
  ],
  notes: [
    'Start the gateway with pincer gateway, and a node with pincer node run on the other machine. Both show the same eight digits: compare them, then approve. A request waits five minutes.',
    'An invitation pairs one machine, once, within ten minutes: pincer node run --invitation <text>. Treat it as a password.',
    'A node is named by its id, its name, or the first six letters of its id or more; approve and reject also take the eight digits.',
  ],
  exit: '0 done; 1 there is no such node, or it was refused; 2 invalid arguments; 3 the gateway does not run or does not listen',
};
