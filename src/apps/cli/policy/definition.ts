import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'policy',
  summary: "why a command may run or not; the rules' own tests",
  title: 'what would happen to a command, and why',
  examples: ["policy explain 'rm -rf build'", 'policy test'],
  usage: [
    {
      line: "policy explain '<command>'",
      summary: 'each stage, the program it means, the rule that decides, and what would pass',
    },
    {
      line: 'policy test',
      summary: 'check the approvals file and run the examples of all rules: match and notMatch',
    },
    {
      line: 'policy check --batch',
      summary:
        'JSON lines {"id", "command", "allowlist", "safeBins", "env", "pty", "cwd"} in, {"id", "verdict", "reason"} out',
    },
  ],
  positionals: ['verb', '[command]'],
  verbs: [
    { name: 'explain', positionals: ['command'], completes: 'command' },
    { name: 'test', positionals: [] },
    { name: 'check', positionals: [] },
  ],
  flags: [
    {
      name: '--allow',
      value: '<pattern>',
      summary: 'judge with this allowlist instead of the one in force; can be given again',
      completes: 'file',
      verbs: ['explain'],
    },
    {
      name: '--workdir',
      value: '<dir>',
      summary: 'the folder that the command would run in (the working folder)',
      completes: 'folder',
      verbs: ['explain', 'test'],
    },
    { name: '--path', value: '<folders>', summary: 'where programs are looked for', verbs: ['explain'] },
    { name: '--batch', summary: 'the questions come from standard input', verbs: ['check'] },
    ...FORM_FLAGS,
  ],
  notes: [
    'check --batch reads neither the configuration nor the approvals file; a line may also hold strictInlineEval, path and cwd',
  ],
  exit: 'explain exits 0 when the command would run, 4 when it would ask, 1 when it is denied; test exits 1 when the file is broken or an example fails; what has no effect is told as a warning',
};
