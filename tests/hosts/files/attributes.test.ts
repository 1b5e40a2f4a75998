import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { makeFolder } from '../../support/folder.ts';

/** Sets or reads an attribute with the help of Python, which has the calls that Node has not. */
function attribute(path: string, value?: string): string | undefined {
  const code =
    value === undefined
      ? 'print(os.getxattr(sys.argv[1], "user.note").decode())'
      : 'os.setxattr(sys.argv[1], "user.note", sys.argv[2].encode())';
  const { status, stdout } = spawnSync('python3', ['-c', `import os, sys\n${code}`, path, value ?? ''], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

it('a replaced file keeps its extended attributes', async (context) => {
  const ws = makeFolder({ 'a.txt': 'old', 'b.txt': 'old' });
  const path = join(ws, 'a.txt');
  const { stdout } = spawnSync('cp', ['--version'], { encoding: 'utf8' });
  if (!stdout.includes('GNU') || attribute(path, 'kept') === undefined)
    context.skip('needs GNU cp, Python and a file system with attributes');
  const options = { cwd: ws, stateDir: join(ws, '.state') };
  const files = localFiles(options);
  const writer = await files.writer('test');
  const change = (name: string) => {
    const { file, stamp } = files.placeOf(name);
    return { file, stamp: stamp!, edit: { splices: [{ start: 0, end: 3, bytes: new TextEncoder().encode('new') }] } };
  };
  writer.commit([change('a.txt')]);
  const alone = attribute(path);
  writer.commit([change('a.txt'), change('b.txt')]);
  expect([alone, attribute(path), attribute(join(ws, 'b.txt'))]).toEqual(['kept', 'kept', undefined]);
});

/** Gives a folder a default list that lets another user read and write what is made in it; false where that cannot be. */
function shareByDefault(folder: string): boolean {
  const code = `import os, struct, sys
entries = [(1, 7, -1), (2, 7, 65534), (4, 5, -1), (16, 7, -1), (32, 5, -1)]
value = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
os.setxattr(sys.argv[1], "system.posix_acl_default", value)`;
  return spawnSync('python3', ['-c', code, folder]).status === 0;
}

function hasList(path: string): string {
  const code = 'import os, sys\nprint("system.posix_acl_access" in os.listxattr(sys.argv[1]))';
  return spawnSync('python3', ['-c', code, path], { encoding: 'utf8' }).stdout.trim();
}

it('a replaced file gets no entries from the default ACL of its folder', async (context) => {
  const ws = makeFolder({ 'd/a.txt': 'old', 'd/b.txt': 'old' });
  const { stdout } = spawnSync('cp', ['--version'], { encoding: 'utf8' });
  if (!stdout.includes('GNU') || !shareByDefault(join(ws, 'd')))
    context.skip('needs GNU cp, Python and a file system with access lists');
  const files = localFiles({ cwd: ws, stateDir: join(ws, '.state') });
  const writer = await files.writer('test');
  const change = (name: string) => {
    const { file, stamp } = files.placeOf(name);
    return { file, stamp: stamp!, edit: { splices: [{ start: 0, end: 3, bytes: new TextEncoder().encode('new') }] } };
  };
  writer.commit([change('d/a.txt')]);
  writer.commit([change('d/a.txt'), change('d/b.txt')]);
  writer.commit([{ file: files.placeOf('d/c.txt').file, create: new Uint8Array() }]);
  expect(['a.txt', 'b.txt', 'c.txt'].map((name) => hasList(join(ws, 'd', name)))).toEqual(['False', 'False', 'True']);
});
