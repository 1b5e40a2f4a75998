// @ts-check
import { join } from 'node:path';
import { AGENTS, PROMPT } from './client.mjs';

/** The program itself; the package's own start only works after its install script. */
const PROGRAM = join(AGENTS, '@anthropic-ai', `claude-code-linux-${process.arch}`, 'claude');

const TOOLS = 'mcp__pincer__exec,mcp__pincer__process,mcp__pincer__read';

/** What keeps it on this machine, and shows our tools to the model without a search for them. @param {string} modelUrl */
const environment = (modelUrl) => ({
  ANTHROPIC_BASE_URL: modelUrl,
  ANTHROPIC_API_KEY: 'scripted',
  ENABLE_TOOL_SEARCH: 'false',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  IS_SANDBOX: '1',
});

/** @type {import('./client.mjs').Client} */
export const claudeCode = {
  name: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  init: ['init', 'claude-code', '--yes'],
  setUp: [
    'Claude Code asks once whether the servers of this project may be used. For all projects: `pincer init claude-code --user`. Its own words for the same: `claude mcp add pincer -- pincer mcp`.',
  ],
  entryFile: ({ workspace }) => join(workspace, '.mcp.json'),
  prepare() {},
  start: ({ workspace }, modelUrl) => ({
    command: PROGRAM,
    args: [
      '-p',
      PROMPT,
      '--mcp-config',
      join(workspace, '.mcp.json'),
      '--strict-mcp-config',
      '--allowedTools',
      TOOLS,
      '--output-format',
      'json',
    ],
    env: environment(modelUrl),
    typed: `claude -p "${PROMPT}" --mcp-config .mcp.json --strict-mcp-config --allowedTools ${TOOLS}`,
  }),
  shown: (stdout) => JSON.parse(stdout).result,
};

/**
 * Answers what Claude Code asks its user, in place of the user: its hook for such questions. It stores the question in a file.
 * @param {string} file @param {Record<string, unknown>} content
 */
export function answeringUser(file, content) {
  const answer = { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content } };
  const command = `cat > '${file}'; printf %s '${JSON.stringify(answer)}'`;
  return ['--settings', JSON.stringify({ hooks: { Elicitation: [{ hooks: [{ type: 'command', command }] }] } })];
}

/** @type {import('./client.mjs').Hooked} */
export const claudeCodeHook = {
  hookFile: ({ workspace }) => join(workspace, '.claude', 'settings.json'),
  shell: (command) => ({ tool: 'Bash', own: true, args: { command, description: 'as told' } }),
  write: (path, content) => ({ tool: 'Write', own: true, args: { file_path: path, content } }),
  exec: (command) => ({ tool: 'exec', args: { command } }),
  startWithHook: (place, modelUrl) => claudeCode.start(place, modelUrl),
  remarks: [],
};
