import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'allow',
  summary: 'keep a rule for a command, so that it runs without asking',
  examples: [
    "allow 'npm test'",
    "allow 'go test *' --where sandbox",
    "allow 'git push' --agent release --where gateway",
    "allow 'read ~/notes' --until 7d --where gateway",
    'allow --list',
  ],
  usage: [
    {
      line: "allow '<command>'",
      summary: 'show what the command may do, ask where it may run, store the rule and test it',
    },
    { line: "allow '<command> *'", summary: 'also accept further words that start no other program' },
    { line: "allow 'read <dir>'", summary: 'let programs that only read also read files of this folder' },
    { line: 'allow --list', summary: 'list the rules' },
    { line: 'allow --remove <id>', summary: 'remove a rule' },
  ],
  positionals: ['[command]'],
  completes: 'command',
  flags: [
    { name: '--agent', value: '<id>', summary: 'the agent that may run it; * for all (default: main)' },
    {
      name: '--below',
      value: '<dir>',
      summary: 'apply in this folder and the folders below (default: the current folder)',
      completes: 'folder',
    },
    {
      name: '--where',
      value: '<host>',
      values: ['sandbox', 'gateway'],
      summary: 'where it runs: in the sandbox of the agent, or on this machine (required without a terminal)',
    },
    { name: '--until', value: '<time>', summary: 'expire after 12h or 7d, tomorrow, or at a date such as 2030-01-31' },
    { name: '--unbound', summary: 'do not bind the rule to the texts that the command runs' },
    { name: '--list', summary: 'list the rules of all agents, or of --agent' },
    { name: '--remove', value: '<id>', summary: 'remove the rule with this id, or the beginning of its id' },
    ...FORM_FLAGS,
  ],
  notes: [
    'A rule is bound to the texts that decide what the command does, such as the script in package.json: when one changes, the command asks again and shows the difference.',
    'Code in the command itself (python -c, node -e) is never kept.',
  ],
  exit: '0 stored, listed or removed; 1 refused, declined or not found; 2 invalid arguments, or no --where without a terminal; 3 the approvals file is unavailable; 130 stopped with Ctrl-C',
};
