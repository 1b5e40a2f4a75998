/** The law of `init`: whatever a client's file looks like, --remove gives it back byte for byte. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import { CLIENTS, type Client, SERVER_NAME, type Surroundings } from '../../../src/apps/init/clients.ts';
import { type InitChoices, prepareInit } from '../../../src/apps/init/init.ts';
import { hookTarget } from '../../../src/apps/init/hook-target.ts';
import { serverTarget } from '../../../src/apps/init/targets.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc, runs, timeoutFor } from '../../support/property.ts';
import { jsonConfig, tomlConfig } from './configs.ts';

const configOf = (client: Client): fc.Arbitrary<string> =>
  client.format === 'toml' ? tomlConfig : jsonConfig(client.at, client.format === 'json5');

const entryOf = (client: Client) =>
  client.entry({ transport: 'stdio', command: 'pincer', args: ['mcp', '--workspace', '/a "b"'] });

function surroundings(): { readonly at: Surroundings; readonly stateDir: string } {
  const folder = makeFolder();
  const at = { folder: join(folder, 'project'), home: join(folder, 'home'), env: { PATH: process.env['PATH'] } };
  mkdirSync(at.folder);
  mkdirSync(at.home);
  return { at, stateDir: join(folder, 'state') };
}

describe.each(CLIENTS)('the configuration of $name', (client) => {
  it('is byte for byte what it was after init and --remove, and init twice is init once', {
    timeout: timeoutFor(120_000),
  }, async () => {
    const { at, stateDir } = surroundings();
    const choices: InitChoices = { client, scope: client.scopes[0], remove: false, hook: client.hooks !== undefined };
    const file = client.files(choices.scope, at)[0];
    const hooks = client.hooks?.file(choices.scope, at) ?? file;
    const paths = hooks === file ? [file] : [file, hooks];
    for (const path of paths) mkdirSync(dirname(path), { recursive: true });
    const texts = fc.tuple(configOf(client), jsonConfig(['hooks'], false));
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        for (const [i, path] of paths.entries()) writeFileSync(path, given[i]!);
        await (await prepareInit(choices, at, stateDir)).write();
        const between = paths.map((path) => readFileSync(path, 'utf8'));
        expect(between.every((text) => text.includes('pincer'))).toBe(true);
        const again = await prepareInit(choices, at, stateDir);
        expect(again.plans.map(({ action }) => action)).toEqual(paths.map(() => 'none'));
        // With other words in between: what --remove gives back is what stood there before the first.
        await (await prepareInit({ ...choices, preset: 'claude' }, at, stateDir)).write();
        await (await prepareInit({ ...choices, remove: true }, at, stateDir)).write();
        expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(given.slice(0, paths.length));
      }),
      { numRuns: runs(12) },
    );
  });

  it('contains the entry afterwards and no other change', async () => {
    const { editor } = await serverTarget(client, 'config', entryOf(client));
    fc.assert(
      fc.property(configOf(client), (text) => {
        const { text: after, made } = editor.put(text);
        expect(editor.put(after).text).toBe(after);
        expect(editor.find(after)).toEqual(entryOf(client));
        const back = editor.take(after, made);
        expect(editor.find(back)).toBeUndefined();
        if (client.format !== 'toml') expect(isDeepStrictEqual(JSON5.parse(back), JSON5.parse(text))).toBe(true);
        else expect(back.trimEnd()).toBe(text.trimEnd());
      }),
      { numRuns: runs(150) },
    );
  });
});

const claude = CLIENTS[0]!;

describe('without a note in the state folder', () => {
  it.each(CLIENTS.filter(({ format }) => format !== 'toml'))(
    'an entry of $name beside others goes without a trace',
    async (client) => {
      const { editor } = await serverTarget(client, 'config', entryOf(client));
      fc.assert(
        fc.property(configOf(client), (text) => {
          const servers = client.at.reduce<unknown>(
            (data, name) => (data as Record<string, unknown>)?.[name],
            JSON5.parse(text),
          );
          fc.pre(typeof servers === 'object' && servers !== null && Object.keys(servers).length > 0);
          expect(editor.take(editor.put(text).text)).toBe(text);
        }),
        { numRuns: runs(150) },
      );
    },
  );

  it('a hook beside others is removed without a trace', async () => {
    const { editor } = await hookTarget(claude, claude.hooks!, 'settings.json', ['pincer']);
    const text =
      '{\n  "hooks": { // mine\n    "PreToolUse": [\n      { "matcher": "Write", "hooks": [] } // first\n    ]\n  }\n}\n';
    const after = editor.put(text).text;
    expect(JSON5.parse(after)).toEqual({
      hooks: {
        PreToolUse: [
          { matcher: 'Write', hooks: [] },
          {
            matcher: '*',
            hooks: [
              { type: 'command', command: 'pincer hook claude-code || exit 2', timeout: 600, onFailure: 'block' },
            ],
          },
        ],
      },
    });
    expect(editor.take(after)).toBe(text);
  });

  it('the removal of a hook keeps another hook of its group', async () => {
    const { editor } = await hookTarget(claude, claude.hooks!, 'settings.json', ['pincer']);
    const other = { type: 'command', command: 'mine' };
    const group = (hooks: readonly unknown[]) =>
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });
    expect(editor.take(group([other, { type: 'command', command: '/x/pincer.cjs hook claude-code' }]))).toBe(
      group([other]),
    );
  });

  it('removes empty parents, but not with a comment in them', async () => {
    const { editor } = await serverTarget(claude, 'config', entryOf(claude));
    const put = editor.put('{\n  "a": 1\n}\n').text;
    expect(editor.take(put)).toBe('{\n  "a": 1\n}\n');
    expect(editor.take(put, [])).toBe('{\n  "a": 1,\n  "mcpServers": {\n  }\n}\n');
    const kept = put.replace('"mcpServers": {', '"mcpServers": { // mine');
    expect(editor.take(kept)).toContain(`"mcpServers": { // mine`);
    expect(SERVER_NAME).toBe('pincer');
  });
});
