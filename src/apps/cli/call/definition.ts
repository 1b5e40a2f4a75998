import { type CommandDefinition, type FlagDefinition, FORM_FLAGS } from '../definition.ts';
import { AGENT_FLAG, ALLOW_UNDO_FLAG, MODEL_FLAG, TOOLBOX_FLAGS, withToolboxFlags, WORKSPACE_FLAG } from '../flags.ts';

const BATCH: FlagDefinition = {
  name: '--batch',
  summary: 'read calls as JSON lines {"id", "tool", "args"}, print one result line {"id", "content", …} for each',
};

export const call: CommandDefinition = {
  name: 'call',
  summary: 'call a tool as an agent does',
  examples: [`call read '{"path": "README.md"}'`, `call exec '{"command": "npm test"}'`, 'call --batch < calls.jsonl'],
  usage: [
    {
      line: "call <tool> '<json>'",
      summary: 'call one tool with these parameters; - reads them from standard input',
    },
    {
      line: "call '<json>'",
      summary: 'call the tool that the JSON names: {"tool": …, …} or {"tool_call": {"name", "arguments"}}',
    },
    { line: 'call --batch', summary: BATCH.summary },
    { line: 'tools [--json]', summary: 'list the tools and their parameters' },
  ],
  positionals: ['[tool]', '[json]'],
  completes: ['read', 'write', 'edit', 'apply_patch', 'exec', 'process', 'path', 'changes'],
  flags: [...TOOLBOX_FLAGS, { ...BATCH, hidden: true }],
  notes: [
    'tools.allow, tools.deny and tools.fs.workspaceOnly in pincer.jsonc apply as they do for agents. exec and process run in the daemon, which starts when needed (pincer daemon --help).',
  ],
  exit: '0 done, even if the command failed or its approval is pending: see status in the result; 1 refused, denied or not found; 2 invalid arguments; 3 the file or the daemon is unavailable; 124 timeout; --batch always exits 0: see each result',
};

export const tools: CommandDefinition = {
  name: 'tools',
  summary: 'list the tools that agents can call',
  examples: ['tools', 'tools --json --model gpt-5'],
  usage: [{ line: 'tools', summary: 'print name, effect and purpose of each tool; --json adds the schemas' }],
  positionals: [],
  flags: withToolboxFlags([...FORM_FLAGS, ALLOW_UNDO_FLAG, AGENT_FLAG, MODEL_FLAG, WORKSPACE_FLAG]),
  notes: [
    "tools.allow, tools.deny and tools.exec.applyPatch in pincer.jsonc decide which tools are offered. Call one with pincer call <tool> '<json>'.",
  ],
};
