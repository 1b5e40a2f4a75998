import { HOST_NAMES } from '../../../wire/policy.ts';
import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import { AGENT_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'policy',
  summary: 'explain why a command may run, and test the rules',
  examples: ["policy explain 'rm -rf build'", 'policy test', 'policy replay --since 7d'],
  usage: [
    {
      line: "policy explain '<command>'",
      summary: 'show each stage, its program, the rule that decides, and what would pass',
    },
    {
      line: 'policy test',
      summary: 'check the approvals file, and run the match and notMatch examples of all rules',
    },
    {
      line: 'policy check --batch',
      summary:
        'read JSON lines {"id", "command", "allowlist", "safeBins", "env", "pty", "cwd"}, print {"id", "verdict", "reason"} for each',
    },
    {
      line: 'policy replay --since 7d [--with rules.json]',
      summary: 'judge the commands of the audit log again, and list those whose verdict would change',
    },
  ],
  positionals: ['verb', '[command]'],
  verbs: [
    { name: 'explain', positionals: ['command'], completes: 'command' },
    { name: 'test', positionals: [] },
    { name: 'check', positionals: [] },
    { name: 'replay', positionals: [] },
  ],
  flags: [
    {
      name: '--allow',
      value: '<pattern>',
      summary: 'judge with this allowlist instead of the effective one (repeatable)',
      completes: 'file',
      verbs: ['explain'],
    },
    {
      name: '--workdir',
      value: '<dir>',
      summary: 'judge as if run in this folder (default: the current directory)',
      completes: 'folder',
      verbs: ['explain', 'test'],
    },
    { name: '--path', value: '<folders>', summary: 'look for programs in these folders', verbs: ['explain'] },
    {
      name: '--host',
      value: '<where>',
      values: HOST_NAMES,
      summary: 'explain what pincer exec --host would do (default: tools.exec.host)',
      verbs: ['explain'],
    },
    { name: '--node', value: '<name>', summary: 'explain for this node, with --host node', verbs: ['explain'] },
    { ...AGENT_FLAG, verbs: ['explain'] },
    { name: '--since', value: '<time>', summary: 'a duration before now, or a time', verbs: ['replay'] },
    {
      name: '--with',
      value: '<file>',
      summary: 'judge with this approvals file instead of the stored one',
      completes: 'file',
      verbs: ['replay'],
    },
    { name: '--batch', summary: 'read commands from standard input', verbs: ['check'] },
    ...FORM_FLAGS,
  ],
  notes: [
    'Where the command would run on a node, explain asks that node, whose rules decide, and fails with NODE_OFFLINE while it is not connected. --workdir is then a folder of the node.',
    'check --batch reads neither the configuration nor the approvals file; a line may also contain strictInlineEval and path.',
  ],
  exit: '0 explain: the command would run, test: all rules pass, replay: no verdict would change; 1 explain: denied, test: the file is invalid or an example fails, replay: a verdict would change; 2 invalid arguments; 3 explain: the node cannot be asked; 4 explain: the command would ask',
};
