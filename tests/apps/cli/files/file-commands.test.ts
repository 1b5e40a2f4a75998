import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILE_COMMANDS } from '../../../../src/apps/cli/files/file-commands.ts';
import { readArguments } from '../../../../src/apps/cli/arguments.ts';
import { faultOf } from '../../../support/fault.ts';
import { makeFolder } from '../../../support/folder.ts';

function callOf(command: string, ...argv: readonly string[]) {
  const form = FILE_COMMANDS[command]!;
  return { tool: form.tool, ...form.parameters(readArguments(form.shape, argv)) };
}

describe('a friendly form', () => {
  it.each([
    [['read', 'a'], { tool: 'read', path: 'a' }],
    [['read', 'a', '--offset', '3', '--limit=4'], { tool: 'read', path: 'a', offset: 3, limit: 4 }],
    [['read', 'a', '--lines', '3-7'], { tool: 'read', path: 'a', offset: 3, limit: 5 }],
    [['read', 'a', '--lines', '3-'], { tool: 'read', path: 'a', offset: 3 }],
    [['read', 'a', '--lines', '3'], { tool: 'read', path: 'a', offset: 3, limit: 1 }],
    [['read', 'a', '--pages', '1-5', '--numbers'], { tool: 'read', path: 'a', pages: '1-5', lineNumbers: true }],
    [['write', 'a', 'text', '--dry-run'], { tool: 'write', path: 'a', content: 'text', dryRun: true }],
    [['write', 'a', ''], { tool: 'write', path: 'a', content: '' }],
    [['edit', 'a', '--old', 'x', '--new', ''], { tool: 'edit', path: 'a', oldText: 'x', newText: '' }],
    [
      ['edit', 'a', '--old', 'x', '--new=y', '--all'],
      { tool: 'edit', path: 'a', oldText: 'x', newText: 'y', replaceAll: true },
    ],
    [['edit', 'a', '--edits', '[{"oldText":"x"}]'], { tool: 'edit', path: 'a', edits: [{ oldText: 'x' }] }],
  ])('%j is a call', ([command, ...argv], call) => {
    expect(callOf(command!, ...argv)).toEqual(call);
  });

  it('takes texts from files as they are', () => {
    const folder = makeFolder({ old: 'one\r\n', new: '\ufefftwo' });
    expect(callOf('edit', 'a', '--old-file', join(folder, 'old'), '--new-file', join(folder, 'new'))).toMatchObject({
      oldText: 'one\r\n',
      newText: '\ufefftwo',
    });
  });

  it('gives a patch its bytes, also those that are no UTF-8', () => {
    const file = join(makeFolder(), 'p');
    writeFileSync(file, Buffer.from([0x2d, 0xe9, 0x0a]));
    expect(callOf('patch', file, '--overwrite')).toEqual({ tool: 'apply_patch', input: '-\udce9\n', overwrite: true });
  });

  it.each([
    [['read', 'a', '--lines', '0-3'], 'read: --lines must be a whole number of at least 1, not "0"'],
    [['read', 'a', '--lines', '5-3'], 'read: --lines 5-3 ends before it begins'],
    [['read', 'a', '--lines', 'x'], 'read: --lines must be A-B, A- or A, not "x"'],
    [['read', 'a', '--lines', '1-2', '--limit', '1'], 'read: --lines excludes --offset and --limit'],
    [['read', 'a', '--limit', '1e3'], 'read: --limit must be a whole number of at least 1, not "1e3"'],
    [['edit', 'a', '--old', 'x'], 'edit: --new or --new-file is missing'],
    [['edit', 'a', '--new', 'x'], 'edit: --old or --old-file is missing'],
    [['edit', 'a', '--edits', '[]', '--old', 'x'], 'edit: --edits and --old exclude each other'],
    [['edit', 'a', '--edits', '[]', '--all'], 'edit: --edits and --all exclude each other'],
  ])('%j is refused', ([command, ...argv], message) => {
    expect(faultOf(() => callOf(command!, ...argv))).toMatchObject({ code: 'USAGE_ARGUMENTS', message });
  });

  it('names a file that cannot be read', () => {
    expect(faultOf(() => callOf('patch', '/no/such/file')).code).toBe('FS_UNREADABLE');
  });
});
