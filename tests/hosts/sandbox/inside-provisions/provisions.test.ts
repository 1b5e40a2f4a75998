import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectInside } from '../../../../src/hosts/sandbox/link/link.ts';
import { provisions } from '../../../../src/hosts/sandbox/provisions.ts';
import { readElf } from '../../../../src/hosts/sandbox/provisions/elf.ts';
import { packageClosure } from '../../../../src/hosts/sandbox/provisions/packages.ts';
import { launchOf, run } from '../../../support/launching.ts';
import { faultOf } from '../../../support/fault.ts';
import { builtScript } from '../../../support/built.ts';

const hasBubblewrap = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pp-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the agent, this Node, its loader and its libraries are all below /opt/pincer and read-only', async () => {
  const { binds, command } = provisions({ runner: builtScript('runner') });
  expect(new Set(binds.map(({ access }) => access))).toEqual(new Set(['ro']));
  expect(binds.filter(({ target }) => !target.startsWith('/opt/pincer/'))).toEqual([]);
  expect(binds.filter(({ source }) => realpathSync(source) !== source)).toEqual([]);
  expect(new Set(binds.map(({ target }) => target)).size).toBe(binds.length);
  const targets = binds.map(({ target }) => target);
  const words = command.filter((word) => word.startsWith('/opt/pincer/') && word !== '/opt/pincer/lib');
  expect(words.filter((word) => !targets.includes(word) && !targets.includes(dirname(word)))).toEqual([]);
  const needed = readElf(realpathSync(process.execPath))?.needed ?? [];
  expect(needed.filter((name) => !targets.includes(`/opt/pincer/lib/${name}`))).toEqual([]);
});

test('missing packages are reported and not required', async () => {
  const folder = makeFolder();
  const runner = join(folder, 'runner', 'runner.cjs');
  mkdirSync(dirname(runner));
  writeFileSync(runner, readFileSync(builtScript('runner')));
  expect(provisions({ runner }).missing).toEqual([
    'commands in the sandbox get no terminal: the package @lydell/node-pty is not installed',
    'images cannot be read in the sandbox: the package sharp is not installed',
    'PDFs cannot be read in the sandbox: the files of the PDF reader are missing',
  ]);
});

test('a missing agent and an invalid Node are faults', async () => {
  const folder = makeFolder();
  const runner = builtScript('runner');
  expect(faultOf(() => provisions({ runner: join(folder, 'runner.cjs') }))).toMatchObject({
    code: 'SANDBOX_PROVISIONS',
  });
  expect(faultOf(() => provisions({ runner, node: runner }))).toMatchObject({ code: 'SANDBOX_PROVISIONS' });
});

test('a truncated program is ignored', () => {
  const folder = makeFolder();
  const file = join(folder, 'cut');
  writeFileSync(file, readFileSync('/bin/sh').subarray(0, 80));
  expect([readElf(file), readElf('/dev/null')]).toEqual([undefined, undefined]);
});

test('a package brings all that it needs, from where it would find it', () => {
  const folder = makeFolder();
  const install = (path: string, content: object): void => {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(content));
  };
  install('node_modules/a', { dependencies: { b: '1' }, optionalDependencies: { '@x/c': '1', missing: '1' } });
  install('node_modules/b', { dependencies: { a: '1' } });
  install('node_modules/@x/c', {});
  install('node_modules/other', {});
  expect(Object.fromEntries(packageClosure(join(folder, 'deep', 'er'), 'a'))).toEqual({
    a: join(folder, 'node_modules/a'),
    b: join(folder, 'node_modules/b'),
    '@x/c': join(folder, 'node_modules/@x/c'),
  });
});

test.skipIf(!hasBubblewrap)('the agent runs where there is nothing else: no shell, no library, no folder', async () => {
  const folder = makeFolder();
  const workspace = join(folder, 'ws');
  mkdirSync(workspace);
  const { binds, command } = provisions({ runner: builtScript('runner') });
  const mounts = binds.flatMap(({ source, target }) => ['--ro-bind', source, target]);
  const rest = [
    '--bind',
    workspace,
    '/workspace',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/run',
  ];
  const child = spawn('bwrap', ['--unshare-all', '--die-with-parent', '--clearenv', ...mounts, ...rest, ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const broken: string[] = [];
  const link = connectInside(child.stdio[3] as Socket, { breakDown: (reason) => broken.push(reason) });
  await link.ready;
  const [file, ...before] = command.slice(0, -3) as [string, ...string[]];
  const stage = { file, argv: [file, ...before, '-e', 'console.log(process.cwd()); console.error("oops")'] };
  const { end } = await run(link.launcher, launchOf([stage], { cwd: '/workspace', streams: 'apart' }));
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: '/workspace\n', err: 'oops\n' });
  const inTerminal = { file, argv: [file, ...before, '-e', 'console.log(String(process.stdout.columns))'] };
  const terminal = await run(link.launcher, launchOf([inTerminal], { cwd: '/workspace', pty: { cols: 99, rows: 9 } }));
  expect([terminal.launched.warnings, await terminal.end]).toEqual([
    [],
    { exit: { kind: 'code', code: 0 }, out: '99\r\n', err: '' },
  ]);
  const written = await link.callTool('write', { path: 'a/b.txt', content: 'inside\n' });
  expect([written.isError, readFileSync(join(workspace, 'a/b.txt'), 'utf8')]).toEqual([undefined, 'inside\n']);
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  writeFileSync(join(workspace, 'dot.png'), png);
  const picture = await link.callTool('read', { path: 'dot.png' });
  expect(picture.content.find(({ type }) => type === 'image')).toMatchObject({ type: 'image', mimeType: 'image/png' });
  await link.launcher.close();
  await exited;
  expect(broken).toEqual([]);
});
