import { execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { localFiles, type FilesOptions } from '../../../src/hosts/files/files.ts';
import type { Files } from '../../../src/hosts/files/shape.ts';
import { watchingCalls } from '../../support/failing-fs.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';
import { ripened } from '../../support/patience.ts';
import { runs } from '../../support/budget.ts';
import { fixtureProgram } from '../../support/program.ts';

const isRoot = process.getuid?.() === 0;

interface Setting {
  readonly top: string;
  readonly ws: string;
  readonly files: Files;
}

function start({ name = 'ws', ...options }: Partial<FilesOptions> & { readonly name?: 'ws' | 'given' } = {}): Setting {
  const top = makeFolder({
    'ws/in.txt': 'inside',
    'ws/d/f.txt': 'inside',
    'ws/@scope/x': 'scoped',
    'ws/a\\b': 'inside',
    'ws/~user': 'inside',
    'ws/.../x': 'inside',
    'ws/.git/config': 'git',
    'ws/caf\u00e9.txt': 'composed',
    'ws/.state/locks/x': 'state',
    'out/secret.txt': 'secret',
    'ws-evil/secret.txt': 'secret',
    'home/s.txt': 'home',
  });
  const ws = join(top, 'ws');
  symlinkSync('d/f.txt', join(ws, 'to-f'));
  symlinkSync(join(ws, 'd'), join(ws, 'to-d'));
  symlinkSync('to-d/../in.txt', join(ws, 'back'));
  symlinkSync('../out', join(ws, 'to-out'));
  symlinkSync('../out/secret.txt', join(ws, 'to-secret'));
  symlinkSync('new/deep.txt', join(ws, 'dangling'));
  symlinkSync('new/deep.txt', join(ws, '@dangling'));
  symlinkSync('d/@link', join(ws, '@link'));
  symlinkSync('../out/new.txt', join(ws, 'dangling-out'));
  symlinkSync('loop', join(ws, 'loop'));
  symlinkSync('ws', join(top, 'given'));
  execFileSync('mkfifo', [join(ws, 'pipe')]);
  linkSync(join(top, 'out/secret.txt'), join(ws, 'hard'));
  const files = localFiles({
    cwd: join(top, name),
    stateDir: join(ws, '.state'),
    home: join(top, 'home'),
    ...options,
  });
  return { top, ws, files };
}

function textOf(files: Files, path: string): string {
  const open = files.openPath(path);
  try {
    return new TextDecoder().decode(open.readAll());
  } finally {
    open.close();
  }
}

const fill = (path: string, { top, ws }: Setting): string => path.replace('{WS}', ws).replace('{T}', top);

describe('a path of a tool', () => {
  it.each([
    ['in.txt', 'in.txt'],
    ['./d//f.txt', 'd/f.txt'],
    ['d/../in.txt', 'in.txt'],
    ['{WS}/in.txt', 'in.txt'],
    ['{T}/given/d/f.txt', 'd/f.txt'],
    ['/{WS}//./d/f.txt', 'd/f.txt'],
    ['file://{WS}/in.txt', 'in.txt'],
    ['FILE://localhost{WS}/d/f%2Etxt', 'd/f.txt'],
    ['@in.txt', 'in.txt'],
    ['@{WS}/in.txt', 'in.txt'],
    ['@scope/x', '@scope/x'],
    ['to-f', 'd/f.txt'],
    ['to-d/f.txt', 'd/f.txt'],
    ['to-d/../in.txt', 'in.txt'],
    ['back', 'in.txt'],
    ['a\\b', 'a\\b'],
    ['~user', '~user'],
    ['.../x', '.../x'],
    ['.git/config', '.git/config'],
  ])('%s is the file %s', (path, name) => {
    const setting = start(path.includes('given') ? { name: 'given' } : {});
    const open = setting.files.openPath(fill(path, setting));
    open.close();
    expect([open.located.path, setting.files.nameOf(open.located)]).toEqual([join(setting.ws, name), name]);
  });

  it.each([
    ['../out/secret.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['{T}/out/secret.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['{T}/ws-evil/secret.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['{WS}/../out/secret.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['@../out/secret.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['@/etc/passwd', 'FS_OUTSIDE_WORKSPACE'],
    ['~/s.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['~', 'FS_OUTSIDE_WORKSPACE'],
    ['file://{T}/out/secret.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['file://evil.example{WS}/in.txt', 'FS_NAME_INVALID'],
    ['file://{WS}/..%2fout%2fsecret.txt', 'FS_NAME_INVALID'],
    ['file://{WS}/in.txt%00', 'FS_NAME_NUL'],
    ['file://{WS}/%E0%A4%A', 'FS_NAME_INVALID'],
    ['to-out/secret.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['to-secret', 'FS_OUTSIDE_WORKSPACE'],
    ['dangling-out', 'FS_OUTSIDE_WORKSPACE'],
    ['d/../../ws/in.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['..\\out\\secret.txt', 'FS_NOT_FOUND'],
    ['\uff0e\uff0e/out/secret.txt', 'FS_NOT_FOUND'],
    ['cafe\u0301.txt', 'FS_NOT_FOUND'],
    ['loop', 'FS_TOO_MANY_LINKS'],
    ['', 'FS_NAME_INVALID'],
    ['half\ud800', 'FS_NAME_INVALID'],
    ['in\0.txt', 'FS_NAME_NUL'],
    ['\u00e9'.repeat(128), 'FS_NAME_TOO_LONG'],
    ['a/'.repeat(2100), 'FS_NAME_TOO_LONG'],
    [`${'a/'.repeat(256)}f`, 'FS_NAME_TOO_LONG'],
    ['in.txt/', 'FS_NOT_FOUND'],
    ['in.txt/x', 'FS_NOT_FOUND'],
    ['missing/../in.txt', 'FS_NOT_FOUND'],
    ['d', 'FS_IS_FOLDER'],
    ['.', 'FS_IS_FOLDER'],
    ['to-d/', 'FS_IS_FOLDER'],
    ['pipe', 'FS_NOT_REGULAR'],
    ['hard', 'FS_HARD_LINKED'],
    ['.state/locks/x', 'FS_PROTECTED'],
    ['{WS}/d/../.state/locks/x', 'FS_PROTECTED'],
    ['.state', 'FS_PROTECTED'],
  ])('%j is refused with %s', (path, code) => {
    const setting = start({ hardLinks: 'refuse' });
    expect(faultOf(() => setting.files.openPath(fill(path, setting))).code).toBe(code);
  });

  it('gets similar names, the most similar first, and the entries of a folder', () => {
    const { files } = start();
    expect(faultOf(() => files.openPath('cafe\u0301.txt')).hint).toBe('the folder contains caf\u00e9.txt');
    expect(faultOf(() => files.openPath('IN.TXT')).hint).toBe('the folder contains in.txt');
    expect(faultOf(() => files.openPath('d'))).toEqual({
      code: 'FS_IS_FOLDER',
      message: 'd is a folder, not a file',
      hint: 'name a file in it; it contains f.txt',
    });
  });

  it('is refused when the target of a link on it is not UTF-8, and does not lead to a similar name', () => {
    const { files, ws } = start();
    writeFileSync(join(ws, 'g\ufffd'), 'another');
    symlinkSync(Buffer.from([0x67, 0xff]), join(ws, 'odd'));
    const refused = {
      code: 'FS_NAME_INVALID',
      message: `the target of the symlink ${join(ws, 'odd')} is not valid UTF-8`,
      hint: 'name the file itself, or rename it to a name in UTF-8 and create a symlink to that',
    };
    const ways = [() => files.openPath('odd'), () => files.placeOf('odd'), () => files.openSlot('odd')];
    expect(ways.map((way) => faultOf(way))).toEqual([refused, refused, refused]);
    expect([files.placeOf('odd', 'itself').type, textOf(files, 'g\ufffd')]).toEqual(['link', 'another']);
  });

  it('reads a file with hard links where only writes are refused', () => {
    const { files } = start({ hardLinks: 'refuse' });
    expect(faultOf(() => files.open(files.placeOf('hard').file)).code).toBe('FS_HARD_LINKED');
    expect(textOf(start().files, 'hard')).toBe('secret');
  });

  it('may lead to any regular file when the workspace is not the boundary', () => {
    const setting = start({ workspaceOnly: false });
    const { files, top, ws } = setting;
    const paths = [
      'in.txt',
      '../out/secret.txt',
      `${top}/out/secret.txt`,
      '~/s.txt',
      'to-secret',
      `${ws}/../../../../../../..${top}/home/s.txt`,
    ];
    expect(paths.map((path) => textOf(files, path))).toEqual(['inside', 'secret', 'secret', 'home', 'secret', 'home']);
    expect(files.nameOf(files.placeOf('../out/secret.txt').file)).toBe(join(top, 'out/secret.txt'));
    expect(files.nameOf(files.placeOf('d/f.txt').file)).toBe('d/f.txt');
    const codes = ['/dev/null', '/proc/self/environ', '/etc', '/proc/self/root/etc/passwd', '.state/locks/x'];
    expect(codes.map((path) => faultOf(() => files.openPath(path)).code)).toEqual([
      'FS_NOT_REGULAR',
      'FS_SPECIAL_MOUNT',
      'FS_IS_FOLDER',
      'FS_SPECIAL_MOUNT',
      'FS_PROTECTED',
    ]);
  });

  it.skipIf(!isRoot)('does not lead onto a mounted file system of the kernel (only root can mount one)', () => {
    const { files, ws } = start();
    mkdirSync(join(ws, 'p'));
    mkdirSync(join(ws, 't'));
    execFileSync('mount', ['-t', 'proc', 'proc', join(ws, 'p')]);
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(ws, 't')]);
    try {
      writeFileSync(join(ws, 't/x'), 'ordinary');
      expect(['p/self/environ', 'p/1/status', 'p'].map((path) => faultOf(() => files.openPath(path)).code)).toEqual([
        'FS_SPECIAL_MOUNT',
        'FS_SPECIAL_MOUNT',
        'FS_SPECIAL_MOUNT',
      ]);
      expect(textOf(files, 't/x')).toBe('ordinary');
    } finally {
      for (const name of ['p', 't']) execFileSync('umount', ['-l', join(ws, name)]);
    }
  });
});

describe('the workspace', () => {
  it('stays the pinned folder, whatever gets its name later', () => {
    const { files, top, ws } = start();
    writeFileSync(join(top, 'out/in.txt'), 'secret');
    expect(textOf(files, 'in.txt')).toBe('inside');
    renameSync(ws, join(top, 'moved'));
    symlinkSync('out', ws);
    expect([textOf(files, 'in.txt'), textOf(files, 'd/f.txt')]).toEqual(['inside', 'inside']);
    expect(files.locate('in.txt').path).toBe(join(ws, 'in.txt'));
  });

  it('that does not exist is a fault only when it is used', () => {
    const { top } = start();
    const files = localFiles({ cwd: join(top, 'none'), stateDir: join(top, 'state') });
    expect(files.locateOperator(join(top, 'out/secret.txt')).path).toBe(join(top, 'out/secret.txt'));
    expect(faultOf(() => files.openPath('x')).message).toBe(`folder not found: ${join(top, 'none')}`);
  });

  it('lists its folders', () => {
    const { files } = start();
    expect(files.list('d')).toEqual(['f.txt']);
    expect(files.list('.')).toContain('d/');
    expect(['in.txt', 'none', '../out', '.state'].map((path) => faultOf(() => files.list(path)).code)).toEqual([
      'FS_NOT_FOUND',
      'FS_NOT_FOUND',
      'FS_OUTSIDE_WORKSPACE',
      'FS_PROTECTED',
    ]);
  });
});

describe('reading a file again', () => {
  it('returns what was written, moved or replaced since', async () => {
    const { files, top, ws } = start();
    const path = join(ws, 'd/f.txt');
    const seen: string[] = [];
    const see = async (): Promise<void> => {
      seen.push(textOf(files, 'd/f.txt'));
    };
    await ripened(path);
    await see();
    await see();
    writeFileSync(path, 'insidE');
    await see();
    writeFileSync(join(ws, 'other'), 'other!');
    renameSync(join(ws, 'other'), path);
    await see();
    rmSync(path);
    symlinkSync(join(top, 'out/secret.txt'), path);
    expect(seen).toEqual(['inside', 'inside', 'insidE', 'other!']);
    expect(faultOf(() => files.openPath('d/f.txt')).code).toBe('FS_OUTSIDE_WORKSPACE');
  });
});

describe('another file of the same folder', () => {
  it('is found where the path leads now, whatever happened to the folder', () => {
    const { files, top, ws } = start();
    const lay = (folder: string, text: string): void => {
      mkdirSync(folder, { recursive: true });
      for (const name of ['one', 'two']) writeFileSync(join(folder, name), text);
    };
    const see = (name: string): string => {
      try {
        return `${textOf(files, `e/f/${name}`)} ${Number(files.placeOf(`e/f/${name}`).stamp!.size)}`;
      } catch (error) {
        return (error as Fault).code;
      }
    };
    lay(join(ws, 'e/f'), 'first');
    const seen = [see('one')];
    renameSync(join(ws, 'e/f'), join(ws, 'e/g'));
    seen.push(see('two'));
    lay(join(ws, 'e/f'), 'second');
    seen.push(see('one'));
    renameSync(join(ws, 'e'), join(ws, 'moved'));
    symlinkSync('moved', join(ws, 'e'));
    seen.push(see('two'), files.nameOf(files.placeOf('e/f/two').file));
    rmSync(join(ws, 'e'));
    lay(join(top, 'out/f'), 'secret');
    symlinkSync(join(top, 'out'), join(ws, 'e'));
    seen.push(see('one'));
    rmSync(join(ws, 'e'));
    lay(join(ws, 'e/f'), 'third');
    seen.push(see('one'));
    rmSync(join(ws, 'e'), { recursive: true });
    seen.push(see('two'));
    expect(seen).toEqual([
      'first 5',
      'FS_NOT_FOUND',
      'second 6',
      'second 6',
      'moved/f/two',
      'FS_OUTSIDE_WORKSPACE',
      'third 5',
      'FS_NOT_FOUND',
    ]);
  });

  it('is that of the pinned workspace when another folder has its name', () => {
    const { files, top, ws } = start();
    mkdirSync(join(ws, 'e/f'), { recursive: true });
    for (const name of ['one', 'two']) writeFileSync(join(ws, 'e/f', name), 'inside');
    const seen = [textOf(files, 'e/f/one')];
    renameSync(ws, join(top, 'elsewhere'));
    mkdirSync(join(ws, 'e/f'), { recursive: true });
    writeFileSync(join(ws, 'e/f/two'), 'secret');
    seen.push(textOf(files, 'e/f/two'));
    expect(seen).toEqual(['inside', 'inside']);
  });
});

describe('a place', () => {
  it.each([
    ['in.txt', 'target', { name: 'in.txt', type: 'file' }],
    ['to-f', 'target', { name: 'd/f.txt', type: 'file' }],
    ['to-f', 'itself', { name: 'to-f', type: 'link' }],
    ['to-secret', 'itself', { name: 'to-secret', type: 'link' }],
    ['d', 'target', { name: 'd', type: 'folder' }],
    ['.', 'target', { name: '.', type: 'folder' }],
    ['pipe', 'target', { name: 'pipe', type: 'other' }],
    ['a/b/new.txt', 'target', { name: 'a/b/new.txt', type: 'nothing' }],
    ['to-d/new.txt', 'target', { name: 'd/new.txt', type: 'nothing' }],
    ['dangling', 'target', { name: 'new/deep.txt', type: 'nothing' }],
    ['@new.txt', 'target', { name: 'new.txt', type: 'nothing' }],
    ['@d/new.txt', 'target', { name: 'd/new.txt', type: 'nothing' }],
    ['@scope/new.txt', 'target', { name: '@scope/new.txt', type: 'nothing' }],
    ['@scope/a/b/new.txt', 'target', { name: '@scope/a/b/new.txt', type: 'nothing' }],
    ['@link/new.txt', 'target', { name: 'd/@link/new.txt', type: 'nothing' }],
    ['@dangling', 'target', { name: 'new/deep.txt', type: 'nothing' }],
  ] as const)('%s (%s) is %j', (path, leaf, wanted) => {
    const { files } = start();
    const place = files.placeOf(path, leaf);
    expect({ name: files.nameOf(place.file), type: place.type }).toEqual(wanted);
    expect(place.stamp === undefined).toBe(place.type === 'nothing' || path === '.');
  });

  it.each([
    ['../new.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['to-out/new.txt', 'FS_OUTSIDE_WORKSPACE'],
    ['dangling-out', 'FS_OUTSIDE_WORKSPACE'],
    ['new/', 'FS_IS_FOLDER'],
    ['in.txt/new.txt', 'FS_NOT_FOUND'],
    ['nd/.', 'FS_IS_FOLDER'],
    ['.state/new', 'FS_PROTECTED'],
    ['\u00e9'.repeat(128), 'FS_NAME_TOO_LONG'],
  ])('%j is refused with %s', (path, code) => {
    const { files } = start();
    expect(faultOf(() => files.placeOf(path)).code).toBe(code);
  });
});

it('nothing is written into a repository, and its content can be read', async () => {
  const { files, ws } = start();
  symlinkSync('.git', join(ws, 'to-git'));
  const writer = await files.writer('test');
  const names = [
    '.git/hooks/x',
    '.GIT/x',
    'd/.git/x',
    '.g\u200cit/x',
    '.git',
    'git~1/x',
    '.git./x',
    '.git::$DATA',
    'to-git/x',
  ];
  const codes = names.map(
    (name) => faultOf(() => writer.commit([{ file: files.placeOf(name).file, create: new Uint8Array() }])).code,
  );
  expect(codes).toEqual(names.map(() => 'FS_PROTECTED'));
  const { file, stamp } = files.placeOf('.git/config');
  const splice = { start: 0, end: 0, bytes: new Uint8Array([65]) };
  const moved = files.placeOf('in.txt');
  const others = [
    () => writer.commit([{ file, stamp: stamp!, remove: true }]),
    () => writer.commit([{ file, stamp: stamp!, edit: { splices: [splice] } }]),
    () => writer.commit([{ file: moved.file, stamp: moved.stamp!, moveTo: files.placeOf('.git/in.txt').file }]),
    () => writer.append(file, { line: new Uint8Array([65]), eol: '\n' }),
    () => writer.replace(files.openPath('.git/config'), [splice]),
  ];
  expect(others.map((work) => faultOf(work).code)).toEqual(others.map(() => 'FS_PROTECTED'));
  expect([textOf(files, '.git/config'), readFileSync(join(ws, 'in.txt'), 'utf8')]).toEqual(['git', 'inside']);
});

it('a workspace whose name alternates between a link and a folder is the folder', async () => {
  const { top, ws } = start();
  const swap = await swapper();
  const outside = join(top, 'out');
  symlinkSync(outside, `${ws}.link`);
  writeFileSync(join(outside, 'in.txt'), 'secret');
  const child = await swap(ws);
  const ended = once(child, 'exit');
  const seen: string[] = [];
  try {
    while (seen.length < runs(40, 200)) {
      const files = localFiles({ cwd: ws, stateDir: join(top, 'state') });
      try {
        seen.push(textOf(files, 'in.txt'));
      } catch (error) {
        if (!(error instanceof Fault)) throw error; // there is a moment without any folder of this name
      }
    }
  } finally {
    child.kill('SIGKILL');
    await ended; // what it still moves could not be removed
  }
  expect(seen.filter((text) => text === 'secret')).toEqual([]);
});

it.each([
  ['that was just made is followed', false],
  ['that was just renamed is followed when it stays', true],
])('a workspace link %s', (_, renamed) => {
  const { top } = start();
  const link = join(top, 'link');
  symlinkSync(join(top, 'out'), link);
  if (renamed) renameLater(link);
  writeFileSync(join(top, 'out', 'which.txt'), 'outside');
  expect(textOf(localFiles({ cwd: link, stateDir: join(top, 'state') }), 'which.txt')).toBe('outside');
});

/** Renames a link to and fro until the clock of the file system has moved on since it was made. */
function renameLater(link: string): void {
  for (let stats = lstatSync(link); stats.ctimeMs === stats.birthtimeMs; stats = lstatSync(link)) {
    renameSync(link, `${link}.moved`);
    renameSync(`${link}.moved`, link);
  }
}

it('a workspace link that is renamed repeatedly is refused', () => {
  const { top } = start();
  const link = join(top, 'link');
  symlinkSync(join(top, 'out'), link);
  const renameAgain = (): void => {
    renameSync(link, `${link}.moved`);
    renameSync(`${link}.moved`, link);
    renameLater(link);
  };
  const open = () => localFiles({ cwd: link, stateDir: join(top, 'state') }).openPath('secret.txt');
  expect(faultOf(() => watchingCalls(renameAgain, open, ['lstatSync']))).toEqual({
    code: 'FS_CHANGED',
    message: `${link} is a symlink that another program keeps renaming`,
    hint: 'find the program that renames it, or name the folder itself',
  });
});

it('a workspace link that is swapped slowly is not followed', () => {
  const { top, ws } = start();
  writeFileSync(join(top, 'out', 'in.txt'), 'secret');
  renameSync(ws, `${ws}.real`);
  symlinkSync(join(top, 'out'), ws);
  renameLater(ws);
  // The folder comes back after a time in which a link that was just made would have been followed.
  const begin = Date.now();
  const exchange = (): void => {
    if (Date.now() - begin < 500 || !existsSync(`${ws}.real`)) return;
    renameSync(ws, `${ws}.link`);
    renameSync(`${ws}.real`, ws);
  };
  const read = () => textOf(localFiles({ cwd: ws, stateDir: join(top, 'state') }), 'in.txt');
  expect(watchingCalls(exchange, read, ['lstatSync'])).toBe('inside');
});

async function swapper(): Promise<(path: string) => Promise<ChildProcess>> {
  const program = fixtureProgram('file-writer');
  return (path) => program.start('swap', path, '');
}
