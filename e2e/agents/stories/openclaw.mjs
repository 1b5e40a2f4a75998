// @ts-check
/** OpenClaw: our server in its configuration, probed by itself, and our plugin loaded by it. No model takes part. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../support/checks.mjs';
import { runChild } from '../../support/child.mjs';
import { inPlace, NEWER_NODE, ROOT } from '../../support/place.mjs';
import { block, normalised } from '../transcript.mjs';
import { pincerSays } from './setting.mjs';

const PACKAGE = join(ROOT, 'e2e', 'openclaw', 'node_modules', 'openclaw');
const PLUGIN = join(ROOT, 'examples', 'openclaw-plugin');

/** Each of its commands takes tens of seconds. */
const TIMEOUT_MS = 180_000;

/** @typedef {import('../../support/place.mjs').Place} Place */

/** @returns {Promise<string[]>} the parts of its page */
export function serverInOpenClaw() {
  return inPlace('openclaw', async (place) => {
    mkdirSync(join(place.home, '.openclaw', 'workspace'), { recursive: true });
    const init = await pincerSays(place, ['init', 'openclaw', '--yes', '--human']);
    const probe = JSON.parse(await openclaw(place, ['mcp', 'probe', 'pincer', '--json']));
    const tools = probe.tools.filter((/** @type {string} */ name) => !name.includes('resources'));
    must(String(tools) === String(OURS), `it finds ${tools}\n${JSON.stringify(probe)}`);
    must(probe.diagnostics.length === 0, JSON.stringify(probe.diagnostics));
    await pincerSays(place, ['init', 'openclaw', '--remove', '--yes']);
    const clean = (/** @type {string} */ text) => normalised(text, place);
    const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    return [
      '# OpenClaw',
      `Written by \`npm run e2e:agents -- openclaw\` from a run of OpenClaw ${version}.`,
      '## Set it up',
      block(`$ pincer init openclaw\n${clean(init)}`),
      '`pincer init openclaw --remove` takes it out again.',
      '## What OpenClaw finds',
      block(`$ openclaw mcp probe pincer --json\n${clean(JSON.stringify(probe, null, 2))}`),
    ];
  });
}

/** @returns {Promise<string[]>} the parts of its page */
export function pluginInOpenClaw() {
  return inPlace('openclaw', async (place) => {
    mkdirSync(join(place.home, '.openclaw', 'workspace'), { recursive: true });
    const plugin = installedPlugin(place);
    await openclaw(place, ['plugins', 'install', '--link', '--force', '--accept-capabilities', plugin]);
    const { plugin: found, diagnostics } = JSON.parse(
      await openclaw(place, ['plugins', 'inspect', 'pincer', '--runtime', '--json']),
    );
    const { status, toolNames } = found;
    must(status === 'loaded', `the plugin is ${status}\n${JSON.stringify(diagnostics)}`);
    must(toolNames.includes('pincer_exec'), `it brings ${JSON.stringify(toolNames)}`);
    return [
      '## As a plugin',
      'The plugin in `examples/openclaw-plugin` puts the tools into OpenClaw itself, without a server between them.',
      block(
        [
          '$ openclaw plugins install --link --accept-capabilities ./examples/openclaw-plugin',
          '$ openclaw plugins inspect pincer --runtime --json',
          normalised(JSON.stringify({ plugin: { status, toolNames } }, null, 2), place),
        ].join('\n'),
      ),
    ];
  });
}

const OURS = ['edit', 'exec', 'path', 'process', 'read', 'write'].map((name) => `pincer__${name}`);

/** The plugin with its dependency, as `npm install` in its folder leaves it. @param {Place} place */
function installedPlugin(place) {
  const folder = join(place.folder, 'openclaw-plugin');
  cpSync(PLUGIN, folder, { recursive: true });
  const packages = join(folder, 'node_modules');
  // Copies: OpenClaw refuses a link that leads out of the plugin.
  for (const part of ['package.json', 'dist'])
    cpSync(join(ROOT, part), join(packages, 'pincer', part), { recursive: true });
  cpSync(join(ROOT, 'node_modules', 'yaml'), join(packages, 'yaml'), { recursive: true });
  return folder;
}

/** @param {Place} place @param {string[]} args @returns {Promise<string>} what it printed */
async function openclaw(place, args) {
  must(NEWER_NODE !== undefined, 'the newer Node is not installed in e2e/');
  const env = { ...place.env, OPENCLAW_STATE_DIR: join(place.home, '.openclaw') };
  const options = { cwd: place.workspace, env, timeoutMs: TIMEOUT_MS };
  const ended = await runChild(NEWER_NODE, [join(PACKAGE, 'openclaw.mjs'), ...args], options);
  must(ended.code === 0, `openclaw ${args.join(' ')} exits with ${ended.code}\n${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}
