import { type CommandDefinition, DRY_RUN_FLAG, FORM_FLAGS } from '../definition.ts';
import { PRESET_FLAG, WORKSPACE_FLAG } from '../flags.ts';

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
    { line: 'init [client]', summary: 'on a terminal: ask step by step, show the changes, write and test them' },
    { line: 'init <client> --yes', summary: 'write exactly what the flags say, without asking' },
    {
      line: 'init --posture <posture> --yes',
      summary: 'change only the posture, for all projects of this user',
    },
    { line: 'init <client> --remove', summary: 'remove pincer from the configuration of a client' },
    { line: 'init --list', summary: 'list the clients on this machine, and which have pincer configured' },
  ],
  positionals: ['[client]'],
  completes: ['claude-code', 'codex', 'gemini', 'opencode', 'cursor', 'openclaw'],
  flags: [
    {
      name: '--posture',
      value: '<posture>',
      summary:
        'set what happens to commands, for all projects of this user: sandboxed, judged (commands without a rule ask) or open (not judged)',
      values: ['sandboxed', 'judged', 'open'],
    },
    { name: '--project', summary: 'configure the client for this folder (default, except for codex and openclaw)' },
    { name: '--user', summary: 'configure the client for this user' },
    { name: '--http', value: '<url>', summary: 'connect to a running pincer serve, with the token in $PINCER_TOKEN' },
    { ...WORKSPACE_FLAG, summary: 'use this folder as the workspace (default: the folder of the client)' },
    PRESET_FLAG,
    {
      name: '--hook',
      summary: "also judge the client's own shell and file tools (claude-code, codex, gemini)",
    },
    { name: '--no-hook', summary: 'do not add the hook' },
    {
      name: '--test',
      summary: 'make test calls at the end: one that passes and, if commands are judged, one that asks',
    },
    { name: '--no-test', summary: 'make no test calls' },
    { name: '--remove', summary: 'remove the entry and the hook; with --posture also change the settings' },
    { name: '--list', summary: 'list the clients and exit' },
    DRY_RUN_FLAG,
    { name: '--yes', summary: 'write without asking; required without a terminal' },
    ...FORM_FLAGS,
  ],
  notes: [
    "A posture is written to the user's settings, like pincer config set: judged sets tools.exec.host to gateway, and lets known programs read and write in the workspace (starter=workspace, compound=steps, unprofiled=shapes), sandboxed sets sandbox.mode to all and sandbox.backend to the backend that works here, open removes both. Without --posture no setting changes.",
    'Comments, order and formatting of a file stay. init records its changes in the state folder: --remove restores the original file byte for byte if nothing else changed it, and otherwise removes only the entry.',
    'init refuses to replace an entry named pincer that does not start pincer, and does not change a hook that does more than start it. Members that you added to the entry stay. With --yes, init does not follow symlinks out of the project.',
  ],
  exit: '0 written, or nothing to do; 1 not confirmed, the posture is not in effect, or a test call failed; 2 invalid arguments; 4 --yes is needed; 130 interrupted',
};
