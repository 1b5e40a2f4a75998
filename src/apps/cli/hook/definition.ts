import { HOOK_CLIENTS } from '../../hook/clients.ts';
import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'hook',
  summary: 'answer a client that asks before it calls a tool',
  examples: ['hook claude-code < event.json'],
  usage: [
    { line: 'hook claude-code', summary: 'a PreToolUse hook of Claude Code: answers allow, ask or deny' },
    { line: 'hook codex', summary: 'a PreToolUse hook of Codex: denies, or says nothing' },
    { line: 'hook gemini', summary: 'a BeforeTool hook of Gemini CLI: asks, denies, or says nothing' },
  ],
  positionals: ['client'],
  completes: Object.keys(HOOK_CLIENTS),
  flags: [
    { name: '--agent', value: '<id>', summary: 'whose rules hold (PINCER_AGENT, else main)' },
    { name: '--json', summary: 'the answer is always JSON', hidden: true },
  ],
  notes: [
    'pincer init <client> --hook writes it into the settings of the client, for all of its tools. A command is judged like exec on host=gateway: pipelines and chains whose every command is on the allowlist or a safe bin are allowed, what is not is asked, and deny rules win.',
    'A file that the client writes is judged by the rules of our own file tools: outside of the workspace asks; git, the files of clients and of pincer are denied. exec of pincer is judged where the configuration says that the server does not judge it; exec of a server that is in no file of the client asks. A tool or a parameter that is not known asks. Other tools, and other servers, get no answer.',
    'To deny rm -rf for good, put into pincer.jsonc:\n{"tools": {"exec": {"denyRules": [{"pattern": "/**/rm", "argPattern": "(.* )?-(-recursive|-force|[a-zA-Z]*[rRf]).*"}]}}}',
    'Where no person would be asked (Codex, Gemini CLI without a terminal, permission modes such as bypassPermissions, approvals.headless) askFallback decides about commands (default deny), and files are denied. The client runs the command in a shell of its own: aliases and functions of that shell are out of sight, and nothing is written to the audit log.',
  ],
  exit: 'exits 0 with an answer, or without one where no rule is about the call; 2 blocks the call, with the reason on standard error, also when 20 s were not enough to decide',
};
