import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'init',
  summary: 'add pincer to the configuration of a client, or remove it',
  examples: [
    'init',
    'init claude-code --hook',
    'init claude-code --posture judged --yes',
    'init --posture sandboxed --yes',
  ],
  usage: [
    {
      line: 'init [client]',
      summary: 'on a terminal: ask for each step without a flag, show the changes, write and test them',
    },
    { line: 'init <client> --yes', summary: 'write what the flags say, and nothing else, without a question' },
    { line: 'init --posture <posture> --yes', summary: 'change only what happens to commands' },
    {
      line: 'init <client> --remove',
      summary: 'remove pincer from the configuration of the client: the file is as it was before',
    },
    { line: 'init --list', summary: 'which clients are on this machine, and which have pincer configured' },
  ],
  positionals: ['[client]'],
  completes: ['claude-code', 'codex', 'gemini', 'opencode', 'cursor', 'openclaw'],
  flags: [
    {
      name: '--posture',
      value: '<posture>',
      summary: 'what happens to commands: sandboxed, judged (those without a rule ask), open (not judged)',
      values: ['sandboxed', 'judged', 'open'],
    },
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
      values: ['claude', 'codex', 'openclaw', 'minimal'],
    },
    {
      name: '--hook',
      summary: 'also check the own tools of the client: its shell, its file tools (claude-code, codex, gemini)',
    },
    { name: '--no-hook', summary: 'without the hook; answers the question of the wizard' },
    { name: '--test', summary: 'end with test calls: one that passes and, where commands are judged, one that asks' },
    { name: '--no-test', summary: 'end without test calls' },
    { name: '--remove', summary: 'remove the entry and the hook; with --posture also change the settings' },
    { name: '--list', summary: 'only list the clients' },
    { name: '--dry-run', summary: 'show what would change, and write nothing' },
    { name: '--yes', summary: 'write without a question' },
    { name: '--json', summary: 'the form of the answer (human on a terminal, JSON in a pipe)' },
    { name: '--human', summary: 'the form of the answer (human on a terminal, JSON in a pipe)' },
  ],
  notes: [
    'A posture is written to the settings of the user, as pincer config set does: judged sets tools.exec.host to gateway, sandboxed sets sandbox.mode to all and sandbox.backend to the one that works here, open removes both. Without --posture no setting changes. Without a terminal nothing is written without --yes.',
    'Comments, order and spacing of the file stay. What init changed is noted in the state folder: --remove restores the file byte for byte if it was not changed since, and otherwise removes only the entry.',
    'init refuses to replace an entry called pincer that does not start pincer, and does not touch a hook that does more than start it. Members that were added to the entry stay. With --yes no link leads out of the project.',
  ],
  exit: 'exits 0 when it is written or there is nothing to do, 1 when the answer was no, the posture is not in force or a test call failed, 4 when --yes is needed, 130 after Ctrl-C',
};
