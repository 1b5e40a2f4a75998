// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS, PROMPT } from './client.mjs';

const SCRIPT = join(AGENTS, '@openai', 'codex', 'bin', 'codex.js');

/** A line of what `codex exec --json` prints. @param {string} line */
function messageOf(line) {
  const { type, item } = JSON.parse(line);
  return type === 'item.completed' && item?.type === 'agent_message' ? [item.text] : [];
}

/** Our tools need no question of Codex's own; its sandbox stays as it is. */
const APPROVED = 'mcp_servers.pincer.default_tools_approval_mode="approve"';

/** @param {import('./client.mjs').Place} place @param {readonly string[]} flags @returns {import('./client.mjs').Start} */
function startExec({ folder }, flags) {
  const typed = ['--skip-git-repo-check', ...flags, '-c', `'approval_policy="never"'`, '-c', `'${APPROVED}'`].join(' ');
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return {
    command: 'node',
    args: [
      SCRIPT,
      'exec',
      '--skip-git-repo-check',
      ...flags,
      '--json',
      '-c',
      'approval_policy="never"',
      '-c',
      APPROVED,
      PROMPT,
    ],
    // Codex keeps the helper of its sandbox in its home, and refuses a home in the folder for temporary files.
    env: { SCRIPTED_KEY: 'scripted', TMPDIR: temporary },
    typed: `codex exec ${typed} "${PROMPT}"`,
  };
}

/** @type {import('./client.mjs').Client} */
export const codex = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  init: ['init', 'codex', '--yes'],
  setUp: [
    'Its own words for the same: `codex mcp add pincer -- pincer mcp`. Codex names itself when it connects, so `apply_patch` is offered to it where `tools.exec.applyPatch.enabled` is true.',
    'Codex asks before it calls a tool of a server. Where Pincer decides, that question can go; Codex\'s own sandbox stays on:\n\n```toml\n[mcp_servers.pincer]\ndefault_tools_approval_mode = "approve"\n```',
    'Codex starts its servers with few of its own variables. Settings belong into a file; a `PINCER_STATE_DIR` of yours has to stand under `[mcp_servers.pincer.env]`, too.',
  ],
  entryFile: ({ home }) => join(home, '.codex', 'config.toml'),
  prepare({ home }, modelUrl) {
    mkdirSync(join(home, '.codex'), { recursive: true });
    const config = [
      'model = "gpt-5.4"',
      'model_provider = "scripted"',
      '',
      '[model_providers.scripted]',
      'name = "A scripted model"',
      `base_url = "${modelUrl}/v1"`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
      '',
      '[history]',
      '# nothing is kept',
      'persistence = "none"',
      '',
    ];
    writeFileSync(join(home, '.codex', 'config.toml'), config.join('\n'));
  },
  start: (place) => startExec(place, []),
  shown: (stdout) => stdout.split('\n').filter(Boolean).flatMap(messageOf).join('\n'),
};

/** @type {import('./client.mjs').Hooked} */
export const codexHook = {
  hookFile: ({ home }) => join(home, '.codex', 'hooks.json'),
  shell: (command) => ({ tool: 'exec_command', own: true, args: { cmd: command } }),
  write: (path, content) => ({
    tool: 'apply_patch',
    own: true,
    args: { input: `*** Begin Patch\n*** Add File: ${path}\n${content.replace(/^/gmu, '+')}\n*** End Patch` },
  }),
  exec: (command) => ({ tool: 'exec', unlisted: { namespace: 'mcp__pincer', name: 'exec' }, args: { command } }),
  startWithHook: (place) => startExec(place, ['--dangerously-bypass-hook-trust', '-m', 'gpt-5.5']),
  remarks: [
    '`pincer doctor` warns until the hook is trusted. A run without a person, as here, needs `--dangerously-bypass-hook-trust`.',
    'Codex takes no other answer of a hook than deny. What would ask is denied, and so is a program that takes orders from a terminal, because Codex types into a running command without asking its hook. Where `tools.exec.host` is `gateway`, `exec` of Pincer asks a person.',
  ],
};

/** Its server for editors, which asks them what it cannot decide itself. @returns {{ command: string, args: string[], env: Record<string, string> }} */
export function startAppServer() {
  return { command: 'node', args: [SCRIPT, 'app-server'], env: { SCRIPTED_KEY: 'scripted' } };
}
