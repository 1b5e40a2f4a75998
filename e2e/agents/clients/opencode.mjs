// @ts-check
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { AGENTS, PROMPT } from './client.mjs';

/** The program itself, the one for any processor where there are two; looked for when it is installed. */
function program() {
  const names = [`opencode-linux-${process.arch}-baseline`, `opencode-linux-${process.arch}`];
  const files = names.map((name) => join(AGENTS, name, 'bin', 'opencode'));
  return files.find((file) => existsSync(file)) ?? 'opencode';
}

/** @type {import('./client.mjs').Client} */
export const opencode = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  init: ['init', 'opencode', '--yes'],
  setUp: ['For all projects: `pincer init opencode --user`.'],
  entryFile: ({ workspace }) => join(workspace, 'opencode.json'),
  prepare({ workspace }, modelUrl) {
    const config = {
      $schema: 'https://opencode.ai/config.json',
      model: 'scripted/model',
      share: 'disabled',
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'A scripted model',
          options: { baseURL: `${modelUrl}/v1`, apiKey: 'scripted' },
          models: { model: { name: 'model' } },
        },
      },
    };
    writeFileSync(join(workspace, 'opencode.json'), `${JSON.stringify(config, null, 2)}\n`);
  },
  start: () => ({
    command: program(),
    args: ['run', PROMPT],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    typed: `opencode run "${PROMPT}"`,
  }),
  shown: (stdout) => stripVTControlCharacters(stdout).trim(),
};
