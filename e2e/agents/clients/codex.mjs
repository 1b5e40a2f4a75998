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

/** @type {import('./client.mjs').Client} */
export const codex = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  init: ['init', 'codex', '--yes'],
  setUp: [
    'Its own words for the same: `codex mcp add pincer -- pincer mcp`. Codex names itself when it connects, so `apply_patch` is offered to it where `tools.exec.applyPatch.enabled` is true.',
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
  start: () => ({
    command: 'node',
    args: [
      SCRIPT,
      'exec',
      '--skip-git-repo-check',
      '--json',
      '-c',
      'approval_policy="never"',
      '-s',
      'danger-full-access',
      PROMPT,
    ],
    env: { SCRIPTED_KEY: 'scripted' },
    typed: `codex exec --skip-git-repo-check -c 'approval_policy="never"' -s danger-full-access "${PROMPT}"`,
  }),
  shown: (stdout) => stdout.split('\n').filter(Boolean).flatMap(messageOf).join('\n'),
};

/** Its server for editors, which asks them what it cannot decide itself. @returns {{ command: string, args: string[], env: Record<string, string> }} */
export function startAppServer() {
  return { command: 'node', args: [SCRIPT, 'app-server'], env: { SCRIPTED_KEY: 'scripted' } };
}
