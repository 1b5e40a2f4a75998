/** `call` and `tools`. */
import { type CommandDefinition, type FlagDefinition, FORM_FLAGS } from '../definition.ts';
import { TOOLBOX_FLAGS, withToolboxFlags } from '../flags.ts';

const BATCH: FlagDefinition = {
  name: '--batch',
  summary: 'JSON lines {"id", "tool", "args"} in, one result line {"id", "content", …} out',
};

export const call: CommandDefinition = {
  name: 'call',
  summary: 'call a tool as an agent does; --batch for many',
  title: 'call a tool as an agent does',
  examples: [`call read '{"path": "README.md"}'`, `call exec '{"command": "npm test"}'`, 'call --batch < calls.jsonl'],
  usage: [
    {
      line: "call <tool> '<json>'",
      summary:
        'one call; - reads the parameters from standard input; they may name the tool again: {"tool": "exec", "command": "ls -la"}',
    },
    {
      line: "call '<json>'",
      summary: 'one call with its tool: {"tool": …, …} or {"tool_call": {"name", "arguments"}}',
    },
    {
      line: 'call --batch',
      summary: 'JSON lines {"id", "tool", "args"} in, one result line {"id", "content", …} out',
    },
    { line: 'tools [--json]', summary: 'the tools and their parameters' },
  ],
  positionals: ['[tool]', '[json]'],
  completes: ['read', 'write', 'edit', 'apply_patch', 'exec', 'process', 'path', 'changes'],
  flags: [...TOOLBOX_FLAGS, { ...BATCH, hidden: true }],
  notes: [
    'tools.allow, tools.deny and tools.fs.workspaceOnly of pincer.jsonc hold here as they do for agents. exec and process go through the daemon of the state folder, which is started when it is needed (pincer daemon --help).',
  ],
  exit: 'exit 0 done, whatever code a command ended with, and also while an approval is pending: status tells; 1 refused, denied or not found, 2 wrong arguments, 3 the file or the daemon cannot be used, 124 timeout; a batch ends with 0, and each of its results says how it went',
};

export const tools: CommandDefinition = {
  name: 'tools',
  summary: 'the tools that agents call, with their schemas',
  title: 'the tools that agents call',
  examples: ['tools', 'tools --json --model gpt-5'],
  usage: [{ line: 'tools', summary: 'name, effect and purpose of each (JSON with the schemas in a pipe)' }],
  positionals: [],
  flags: withToolboxFlags([
    ...FORM_FLAGS,
    { name: '--allow-undo', summary: 'with the tool changes, which is offered only then' },
    { name: '--agent', value: '<id>', summary: 'as this agent is offered them (PINCER_AGENT, else main)' },
    { name: '--model', value: '<name>', summary: 'as this model is offered them' },
    {
      name: '--workspace',
      value: '<dir>',
      completes: 'folder',
      summary: 'where pincer.jsonc is looked for from (the working folder)',
    },
  ]),
  notes: [
    "tools.allow, tools.deny and tools.exec.applyPatch of pincer.jsonc decide what is offered; call one with pincer call <tool> '<json>'",
  ],
};
