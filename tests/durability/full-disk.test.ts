/** A disk that is full: the old bytes stay, and the answer says so. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { edit, patch, write } from '../escapes/case.ts';
import { type Ground, makeGround } from '../escapes/ground.ts';
import { type Answer, callBatch, codeOf, type ToolCall } from '../escapes/program.ts';

const OLD = 'old line\n'.repeat(2500);
const BIG = 'new line\n'.repeat(20_000);

/** A workspace on a file system of 64 KB; undefined where this user cannot mount one. */
function smallDisk(): Ground | undefined {
  const ground = makeGround();
  const disk = join(ground.ws, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  if (mounted.status !== 0) {
    ground.remove();
    return undefined;
  }
  writeFileSync(join(disk, 'a.txt'), OLD);
  writeFileSync(join(disk, 'b.txt'), 'small\n');
  return ground;
}

const CALLS: readonly (readonly [string, ToolCall])[] = [
  ['a write over a file', write('disk/a.txt', BIG)],
  ['a new file', write('disk/new.txt', BIG)],
  ['a new file in new folders', write('disk/x/y/new.txt', BIG)],
  ['an edit', edit('disk/b.txt', 'small', BIG)],
  ['an addition in a patch', patch('*** Add File: disk/new.txt', ...BIG.split('\n').map((line) => `+${line}`))],
  [
    'a patch whose second file does not fit',
    patch(
      '*** Update File: disk/b.txt',
      '@@',
      '-small',
      '+other',
      '*** Add File: disk/new.txt',
      ...BIG.split('\n').map((line) => `+${line}`),
    ),
  ],
  [
    'a patch that moves and then does not fit',
    patch(
      '*** Move File: disk/b.txt -> disk/c.txt',
      '*** Add File: disk/new.txt',
      ...BIG.split('\n').map((line) => `+${line}`),
    ),
  ],
];

describe('on a full disk', () => {
  it.for(CALLS)('%s leaves the old bytes', async ([, call], { skip }) => {
    const ground = smallDisk();
    if (ground === undefined) return skip('a small file system can be mounted by root only');
    try {
      const { answers } = await callBatch([call], { ground });
      const disk = join(ground.ws, 'disk');
      const now = readdirSync(disk, { recursive: true }).map(String).sort();
      expect({ answer: summary(answers[0]), now, a: readFileSync(join(disk, 'a.txt'), 'utf8') === OLD }).toEqual({
        answer: { isError: true, area: 'FS' },
        now: ['a.txt', 'b.txt'],
        a: true,
      });
      expect(readFileSync(join(disk, 'b.txt'), 'utf8')).toBe('small\n');
    } finally {
      ground.remove();
    }
  });

  it('a change that fits is still made', async ({ skip }) => {
    const ground = smallDisk();
    if (ground === undefined) return skip('a small file system can be mounted by root only');
    try {
      const { answers } = await callBatch([edit('disk/b.txt', 'small', 'fits')], { ground });
      expect(answers[0]?.isError ?? false).toBe(false);
      expect(readFileSync(join(ground.ws, 'disk', 'b.txt'), 'utf8')).toBe('fits\n');
    } finally {
      ground.remove();
    }
  });
});

function summary(answer: Answer | undefined) {
  return { isError: answer?.isError, area: codeOf(answer).split('_')[0] };
}
