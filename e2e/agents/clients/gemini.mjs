// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS, PROMPT } from './client.mjs';

const SCRIPT = join(AGENTS, '@google', 'gemini-cli', 'bundle', 'gemini.js');

/** @type {import('./client.mjs').Client} */
export const gemini = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  init: ['init', 'gemini', '--yes'],
  setUp: [
    'Gemini CLI reads the file of a project only where the folder is trusted. For all projects: `pincer init gemini --user`.',
  ],
  entryFile: ({ workspace }) => join(workspace, '.gemini', 'settings.json'),
  prepare({ home }) {
    mkdirSync(join(home, '.gemini'), { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    writeFileSync(join(home, '.gemini', 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
  },
  start: (_, modelUrl) => ({
    command: 'node',
    args: [SCRIPT, '-m', 'gemini-2.5-pro', '-p', PROMPT, '--yolo', '--output-format', 'json'],
    env: { GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    typed: `gemini -p "${PROMPT}" --yolo`,
  }),
  shown: (stdout) => JSON.parse(stdout).response,
};

/** @type {import('./client.mjs').Hooked} */
export const geminiHook = {
  hookFile: ({ workspace }) => join(workspace, '.gemini', 'settings.json'),
  shell: (command) => ({ tool: 'run_shell_command', own: true, args: { command, description: 'as told' } }),
  write: (path, content) => ({ tool: 'write_file', own: true, args: { file_path: path, content } }),
  exec: (command) => ({ tool: 'exec', args: { command } }),
  startWithHook: (place, modelUrl) => gemini.start(place, modelUrl),
  remarks: [
    'In a terminal Gemini CLI asks its user what the hook asks. Without one, as here, no person can answer, and the call is denied. For `gemini -p` in a terminal set `approvals.headless`, because Gemini CLI would wait for an answer.',
  ],
};
