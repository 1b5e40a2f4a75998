/** B7: what Pincer runs from is closed to the file tools, through a real copy that is installed in the workspace. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleTools } from '../../../src/apps/assemble.ts';
import { CLIENTS } from '../../../src/apps/init/clients.ts';
import { initRecordFile } from '../../../src/hosts/files/gate/init-record.ts';
import { installationOf } from '../../../src/hosts/files/gate/installation.ts';
import { isClientFile } from '../../../src/hosts/files/gate/protect.ts';
import { isPincerPackage } from '../../../src/hosts/files/gate/protect-program.ts';
import { root } from '../../house/sources.ts';
import { makeFolder } from '../../support/folder.ts';

const PROGRAM = 'node_modules/pincer/dist/pincer.cjs';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
let workspace: string;
let top: string;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-installed-')));
  workspace = join(top, 'ws');
  for (const [name, text] of [
    ['yaml/package.json', '{"name":"yaml"}'],
    ['yaml/dist/index.js', 'yaml'],
    ['other/index.js', 'other'],
  ] as const) {
    mkdirSync(dirname(join(workspace, 'node_modules', name)), { recursive: true });
    writeFileSync(join(workspace, 'node_modules', name), text);
  }
  const own = join(workspace, 'node_modules/pincer');
  mkdirSync(join(workspace, 'node_modules/.bin'), { recursive: true });
  cpSync(join(root, 'dist'), join(own, 'dist'), { recursive: true });
  copyFileSync(join(root, 'package.json'), join(own, 'package.json'));
  symlinkSync('../pincer/dist/pincer.cjs', join(workspace, 'node_modules/.bin/pincer'));
  symlinkSync('node_modules/pincer/dist', join(workspace, 'lib'));
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Calls a tool through the installed copy, started by the link that a package manager makes. */
function call(tool: string, args: object, ...flags: string[]): { readonly details: Record<string, unknown> } {
  const { stdout } = spawnSync(
    process.execPath,
    [join(workspace, 'node_modules/.bin/pincer'), 'call', tool, JSON.stringify(args), ...flags],
    {
      cwd: workspace,
      encoding: 'utf8',
      env: {
        PATH: '/usr/bin:/bin',
        HOME: top,
        NODE_PATH: join(top, 'NODE_PATH'),
        PINCER_STATE_DIR: join(top, 'state'),
      },
    },
  );
  return JSON.parse(stdout);
}

const patch = (...lines: string[]) => ({ input: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n') });

describe('B7: the installed program', () => {
  it.each([
    ['write', { path: PROGRAM, content: 'x' }],
    ['write', { path: 'lib/pincer.cjs', content: 'x' }],
    ['write', { path: 'lib/chunks/new.cjs', content: 'x' }],
    ['write', { path: `node_modules/../${PROGRAM}`, content: 'x' }],
    ['write', { path: `@${PROGRAM}`, content: 'x' }],
    ['write', { path: 'node_modules/.bin/pincer', content: 'x' }],
    ['write', { path: 'node_modules/pincer/node_modules/yaml/index.js', content: 'x' }],
    ['write', { path: 'node_modules/yaml/dist/index.js', content: 'x' }],
    ['write', { path: 'node_modules/sharp/index.js', content: 'x' }],
    ['write', { path: 'sub/node_modules/pincer/dist/pincer.cjs', content: 'x' }],
    ['edit', { path: 'node_modules/pincer/package.json', oldText: '"name": "pincer"', newText: '"name": "x"' }],
    ['apply_patch', patch('*** Delete File: node_modules/.bin/pincer')],
    ['apply_patch', patch(`*** Delete File: ${PROGRAM}`)],
    ['apply_patch', patch('*** Move File: node_modules/other/index.js -> node_modules/pincer/dist/chunks/new.cjs')],
    ['path', { verb: 'set', path: 'oc://"node_modules/pincer/package.json"/name', value: 'x' }],
  ])('is not changed by %s %j', (tool, args) => {
    const before = readFileSync(join(workspace, PROGRAM), 'utf8');
    expect(call(tool, args)).toMatchObject({
      isError: true,
      error: expect.stringContaining("is part of pincer's installation; tools may not write it"),
      details: { code: 'FS_PROTECTED', protected: 'program', hint: expect.stringContaining('package manager') },
    });
    expect(readFileSync(join(workspace, PROGRAM), 'utf8')).toBe(before);
    expect(existsSync(join(workspace, 'node_modules/sharp'))).toBe(false);
  });

  it('stays protected with --protect none', () => {
    const { details } = call('write', { path: PROGRAM, content: 'x' }, '--protect', 'none');
    expect(details).toMatchObject({ code: 'FS_PROTECTED', protected: 'program' });
  });

  it('can be read, and other packages can be written', () => {
    expect(call('read', { path: 'node_modules/pincer/package.json' }).details).not.toHaveProperty('code');
    expect(call('write', { path: 'node_modules/other/index.js', content: 'x' }).details).toMatchObject({
      changed: true,
    });
  });
});

describe('B7: a package that the installation lacks', () => {
  it.each(['.node_modules', '.node_libraries', 'NODE_PATH'])('is not loaded from %s', (folder) => {
    const planted = join(top, folder, 'sharp');
    mkdirSync(planted, { recursive: true });
    writeFileSync(
      join(planted, 'index.js'),
      `require('node:fs').writeFileSync(${JSON.stringify(join(top, 'ran'))}, '')`,
    );
    writeFileSync(join(workspace, 'p.png'), Buffer.from(PIXEL, 'base64'));
    const { details } = call('read', { path: 'p.png' });
    expect([details['code'], existsSync(join(top, 'ran'))]).toEqual(['READ_IMAGE_UNAVAILABLE', false]);
  });
});

describe('an installation', () => {
  it('is protected completely if a package manager installed it, and only the build in a checkout', () => {
    const folder = makeFolder({
      'a/node_modules/pincer/package.json': '{"name":"pincer"}',
      'a/node_modules/pincer/dist/x.cjs': '',
      'b/package.json': '{"name":"pincer","optionalDependencies":{"sharp":"1"}}',
      'b/dist/x.cjs': '',
      'c/package.json': '{"name":"server"}',
      'c/x.cjs': '',
    });
    const closed = (file: string) =>
      installationOf(join(folder, file)).closed.filter((path) => path.startsWith(folder));
    expect(closed('a/node_modules/pincer/dist/x.cjs')).toEqual([join(folder, 'a/node_modules/pincer')]);
    expect(closed('b/dist/x.cjs')).toEqual(
      ['b/dist', 'b/package.json', 'b/node_modules/sharp', 'node_modules/sharp'].map((path) => join(folder, path)),
    );
    expect(closed('c/x.cjs')).toEqual([]);
  });

  it('is found through a package store', () => {
    const folder = makeFolder({
      'node_modules/.pnpm/pincer@1/node_modules/pincer/package.json': '{"name":"pincer","dependencies":{"yaml":"2"}}',
      'node_modules/.pnpm/pincer@1/node_modules/pincer/dist/x.cjs': '',
      'node_modules/.pnpm/yaml@2/node_modules/yaml/package.json': '{"name":"yaml"}',
    });
    symlinkSync('../../yaml@2/node_modules/yaml', join(folder, 'node_modules/.pnpm/pincer@1/node_modules/yaml'));
    symlinkSync('.pnpm/pincer@1/node_modules/pincer', join(folder, 'node_modules/pincer'));
    const { closed } = installationOf(join(folder, 'node_modules/pincer/dist/x.cjs'));
    expect(closed).toContain(join(folder, 'node_modules/.pnpm/pincer@1/node_modules/pincer'));
    expect(closed).toContain(join(folder, 'node_modules/.pnpm/yaml@2/node_modules/yaml'));
  });

  it.each([
    ['/w/node_modules/pincer/x', true],
    ['/w/Node_Modules/PINCER/x', true],
    ['/w/node_modules/pin\u200bcer/x', true],
    ['/w/node_modules/.bin/pincer.cmd', true],
    ['/w/node_modules/pincer-x/x', false],
    ['/w/node_modules/.bin/other', false],
    ['/w/pincer/x', false],
  ])('is recognised by its name: %j', (path, is) => expect(isPincerPackage(path)).toBe(is));
});

describe("B7: a client's file", () => {
  const at = { folder: '/w', home: '/h', env: {} };
  it.each(
    CLIENTS.flatMap((client) =>
      client.scopes.flatMap((scope) => [
        ...client.files(scope, at),
        ...(client.hooks ? [client.hooks.file(scope, at)] : []),
      ]),
    ),
  )('is protected by its name: %s', (path) => expect(isClientFile(path)).toBe(true));

  it('is protected wherever pincer init wrote it', async () => {
    const [folder, stateDir] = [makeFolder({ 'own/settings.json': '{}\n' }), makeFolder()];
    const path = join(folder, 'own/settings.json');
    const write = () =>
      assembleTools({ workspace: folder, stateDir }).call('write', { path: 'own/settings.json', content: '{}' });
    const record = initRecordFile(stateDir, path);
    mkdirSync(join(record, '..'), { mode: 0o700 });
    writeFileSync(record, '{}');
    expect((await write()).details).toMatchObject({ code: 'FS_PROTECTED', protected: 'client' });
  });
});
