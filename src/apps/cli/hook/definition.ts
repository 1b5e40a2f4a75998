import { HOOK_CLIENTS } from '../../hook/clients.ts';
import type { CommandDefinition } from '../definition.ts';
import { AGENT_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'hook',
  summary: 'judge a tool call for the hook of a client',
  examples: ['hook claude-code < event.json'],
  usage: [
    { line: 'hook claude-code', summary: 'answer a PreToolUse event of Claude Code: allow, ask or deny' },
    { line: 'hook codex', summary: 'answer a PreToolUse event of Codex: deny, or no answer' },
    { line: 'hook gemini', summary: 'answer a BeforeTool event of Gemini CLI: ask, deny, or no answer' },
  ],
  positionals: ['client'],
  completes: Object.keys(HOOK_CLIENTS),
  flags: [
    { ...AGENT_FLAG, summary: 'judge by the rules of this agent (default: $PINCER_AGENT, or main)' },
    { name: '--json', summary: 'print JSON, as always', hidden: true },
  ],
  notes: [
    'pincer init <client> --hook adds the hook to the configuration of a client, for all of its tools. Commands are judged like exec on host=gateway: allowed if every command of a pipeline or chain is on the allowlist or a safe bin, otherwise they ask; deny rules win.',
    "File writes are judged by the rules of pincer's own file tools: paths outside the workspace ask; .git and the files of clients and of pincer are denied. pincer's exec is judged if the server is configured not to judge it; exec of a server that is in no configuration file of the client asks. Unknown tools and parameters ask. Other tools and servers get no answer.",
    'To deny rm -rf everywhere, add to pincer.jsonc:\n{"tools": {"exec": {"denyRules": [{"pattern": "/**/rm", "argPattern": "(.* )?-(-recursive|-force|[a-zA-Z]*[rRf]).*"}]}}}',
    'If the client cannot ask a person (Codex, Gemini CLI without a terminal, permission modes such as bypassPermissions, approvals.headless), askFallback decides about commands (default: deny), and file writes are denied. The client runs the command in its own shell: pincer does not see aliases and functions of that shell, and writes nothing to the audit log.',
  ],
  exit: '0 answered, or no rule concerns the call; 2 the call is blocked, with the reason on standard error, also if deciding took over 20 s',
};
