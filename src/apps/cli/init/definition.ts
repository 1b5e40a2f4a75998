import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'init',
  summary: 'put pincer into the configuration of an agent, or take it out',
  examples: ['init', 'init claude-code --hook'],
  usage: [
    { line: 'init', summary: 'which agents are on this machine, and which know pincer already' },
    { line: 'init <client>', summary: 'show what changes in the configuration of the client, ask, and write it' },
    { line: 'init <client> --remove', summary: 'take it out again: the file is as it was before' },
  ],
  words: ['[client]'],
  completes: ['claude-code', 'codex', 'gemini', 'opencode', 'cursor', 'openclaw'],
  flags: [
    { name: '--project', summary: 'the configuration of this folder (the usual place, but for codex and openclaw)' },
    { name: '--user', summary: 'the configuration of this user' },
    { name: '--http', value: '<url>', summary: 'reach a pincer serve that runs; the token comes from PINCER_TOKEN' },
    {
      name: '--workspace',
      value: '<dir>',
      summary: 'the folder that the tools work in (the folder that the client works in)',
      completes: 'folder',
    },
    {
      name: '--preset',
      value: '<name>',
      summary: 'parameter names of one family of models',
      words: ['claude', 'codex', 'openclaw', 'minimal'],
    },
    { name: '--hook', summary: 'claude-code: also put the policy in front of its own Bash' },
    { name: '--remove', summary: 'take the entry and the hook out' },
    { name: '--dry-run', summary: 'show what would change, and write nothing' },
    { name: '--yes', summary: 'write without a question' },
    { name: '--json', summary: 'the form of the answer (human on a terminal, JSON in a pipe)' },
    { name: '--human', summary: 'the form of the answer (human on a terminal, JSON in a pipe)' },
  ],
  notes: [
    'Comments, order and spacing of the file stay. What init changed is noted in the state folder: --remove gives the file back byte for byte while nobody else changed it, and takes out just the entry after that.',
    'An entry of our name that does not start pincer, and a hook that does more than that, are somebody else’s: init refuses the one and leaves the other alone. Members that were added to our entry stay. With --yes no link leads out of the project.',
  ],
  exit: 'exits 0 when it is written or there is nothing to do, 1 when the answer was no, 4 when --yes is needed',
};
