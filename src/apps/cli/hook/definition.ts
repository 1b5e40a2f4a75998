import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'hook',
  summary: 'answer an agent that asks before it runs a command of its own',
  examples: ['hook claude-code < call.json'],
  usage: [
    { line: 'hook claude-code', summary: 'a PreToolUse hook: reads its JSON, answers allow, ask or deny for Bash' },
  ],
  words: ['client'],
  completes: ['claude-code'],
  flags: [
    { name: '--agent', value: '<id>', summary: 'whose rules hold (PINCER_AGENT, else main)' },
    { name: '--json', summary: 'the answer is always JSON', hidden: true },
  ],
  notes: [
    'pincer init claude-code --hook puts it into the settings. The command is judged like exec on host=gateway: pipelines and chains whose every command is on the allowlist or a safe bin are allowed, what is not is asked, and deny rules win.',
    'To deny rm -rf for good, put into pincer.jsonc:\n{"tools": {"exec": {"denyRules": [{"pattern": "/**/rm", "argPattern": "(.* )?-(-recursive|-force|[a-zA-Z]*[rRf]).*"}]}}}',
    'Where nobody would be asked (permission modes such as bypassPermissions, approvals.headless) askFallback decides, which is deny unless set. Claude Code runs the command in a shell of its own: aliases and functions of that shell are out of sight, and nothing is written to the audit log.',
  ],
  exit: 'exits 0 with an answer, or without one where the call is none of its business; 2 blocks the call, with the reason on standard error',
};
