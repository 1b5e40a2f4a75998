import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PostureChoice, postureEdits } from '../../src/apps/posture-choice.ts';
import { changeConfigFile } from '../../src/config/edit/change.ts';
import { contradictionsIn } from '../../src/config/contradictions.ts';
import { execSettings } from '../../src/config/exec-settings.ts';
import { combineLayers, loadLayers } from '../../src/config/load/load.ts';
import { resolveTarget } from '../../src/config/edit/target.ts';
import { postureOf } from '../../src/hosts/gateway/posture/posture.ts';
import { makeFolder } from '../support/folder.ts';

const SANDBOXED: PostureChoice = { name: 'sandboxed', backend: 'bubblewrap' };
const JUDGED: PostureChoice = { name: 'judged' };
const OPEN: PostureChoice = { name: 'open' };
const ALL = [SANDBOXED, JUDGED, OPEN];

/** A user with this file, or none. */
function user(text?: string) {
  const home = makeFolder();
  const path = join(home, '.config/pincer/pincer.jsonc');
  if (text !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const layers = () => loadLayers({ folder: home, env: { HOME: home } });
  return {
    choose: async (choice: PostureChoice) => {
      const edits = postureEdits(choice, await layers()).map(
        ({ steps, edit }) =>
          (document: Parameters<typeof resolveTarget>[1], value: unknown) =>
            resolveTarget({ steps, all: undefined, edit }, document, value),
      );
      const newFile = { text: '{\n}\n' };
      const { changed, after } = await changeConfigFile({
        path,
        edits,
        stateDir: join(home, 'state'),
        cwd: home,
        agent: 'main',
        ...(choice.name === 'open' ? {} : { newFile }),
      });
      return { changed, after };
    },
    text: () => readFileSync(path, 'utf8'),
    holds: async () => {
      const loaded = combineLayers(await layers());
      const settings = execSettings(loaded, 'main', home);
      const said = { settings, approvals: { allowlist: [], deny: [] }, conversation: {} };
      return {
        kind: postureOf(said, { agent: 'main' }).kind,
        contradictions: contradictionsIn(loaded.config, false).filter(({ at }) => at.endsWith('.host')),
      };
    },
  };
}

const FILES: readonly (readonly [name: string, text: string | undefined])[] = [
  ['no file', undefined],
  ['the gateway', '{ tools: { exec: { host: "gateway" } } }'],
  ['a sandbox for all', '{ sandbox: { mode: "all" } } // mine\n'],
  ['both', '{ tools: { exec: { host: "gateway" } }, sandbox: { mode: "non-main" } }'],
  ['the other name', '{ exec: { host: "gateway" } }'],
  ['everything allowed', '{ tools: { exec: { host: "gateway", security: "full" } } }'],
  ['another host', '{ tools: { exec: { host: "node", node: "mac" } } }'],
];

describe.each(FILES)('a user with %s', (_, text) => {
  it.each(ALL)('has the posture $name after choosing it, without a contradiction', async (choice) => {
    const { choose, holds } = user(text);
    await choose(choice);
    expect(await holds()).toEqual({ kind: choice.name, contradictions: [] });
    expect(await choose(choice)).toMatchObject({ changed: false });
  });
});

describe('switching', () => {
  it.each(ALL.flatMap((from) => ALL.map((to) => [from, to] as const)))(
    'from $0.name to $1.name leaves one posture',
    async (from, to) => {
      const { choose, holds } = user();
      await choose(from);
      await choose(to);
      expect(await holds()).toEqual({ kind: to.name, contradictions: [] });
    },
  );

  it('to open writes nothing if nothing is set, and restores a file', async () => {
    const text = '{\n  // mine\n  tools: { exec: { ask: "always" } },\n}\n';
    const { choose, text: now } = user(text);
    expect(await choose(OPEN)).toMatchObject({ changed: false });
    for (const choice of [SANDBOXED, JUDGED, OPEN]) await choose(choice);
    expect(now()).toBe(text);
    expect(await user().choose(OPEN)).toMatchObject({ changed: false });
  });

  it('keeps stricter rules, and a backend that the operator chose', async () => {
    const { choose, text } = user('{ tools: { exec: { security: "deny" } }, sandbox: { backend: "podman" } }');
    await choose(JUDGED);
    expect(text()).toContain('security: "deny"');
    expect(text()).toContain('backend: "podman"');
  });
});
