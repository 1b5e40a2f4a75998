import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { fc, runs } from '../../../support/property.ts';
import { type Desk, desk, type Order } from './desk.ts';

const NAMES = ['a.txt', 'b.txt', 'sub/c.txt', 'sub/deep/d.bin'];
const LONG = Array.from({ length: 900 }, (_, i) => `line ${i} of a file that is too long to be kept whole\n`).join('');

const content = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom('one\n', 'two\r\n', 'three', '\n'), { maxLength: 12 })
    .map((lines) => Buffer.from(lines.join(''))),
  fc.constant(Buffer.from(LONG)),
);

const wish = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    name: fc.constantFrom(...NAMES),
    content,
    mode: fc.constantFrom(0o644, 0o755),
  }),
  fc.record({
    kind: fc.constant('edit' as const),
    name: fc.constantFrom(...NAMES),
    spots: fc.array(fc.tuple(fc.nat(1000), fc.nat(1000), content), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({
    kind: fc.constant('move' as const),
    name: fc.constantFrom(...NAMES),
    to: fc.constantFrom(...NAMES),
    content,
  }),
);
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

/** The wish as something that can be done now; undefined when it cannot. */
function orderFor(wished: Wish, root: string): Order | undefined {
  const stats = statSync(join(root, wished.name), { throwIfNoEntry: false });
  if (wished.kind === 'write') return { write: wished.name, bytes: wished.content, mode: wished.mode };
  if (stats === undefined) return undefined;
  if (wished.kind === 'remove') return { remove: wished.name };
  if (wished.kind === 'move') {
    const splices = wished.content.length % 2 === 0 ? [] : [{ start: 0, end: 0, bytes: wished.content }];
    return wished.to === wished.name ? undefined : { move: wished.name, to: wished.to, splices };
  }
  const offsets = wished.spots.flatMap(([a, b]) => [a, b].map((part) => Math.floor((part / 1001) * (stats.size + 1))));
  offsets.sort((a, b) => a - b);
  const splices = wished.spots.map(([, , bytes], i) => ({ start: offsets[2 * i]!, end: offsets[2 * i + 1]!, bytes }));
  return { edit: wished.name, splices };
}

function treeOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(root, name)).isFile(),
  );
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [
        name,
        `${(statSync(join(root, name)).mode & 0o777).toString(8)} ${readFileSync(join(root, name)).toString('latin1')}`,
      ]),
  );
}

function carryOut(place: Desk, wishes: readonly Wish[]): number {
  let count = 0;
  for (const wished of wishes) {
    const order = orderFor(wished, place.root);
    if (order === undefined) continue;
    place.commit(order);
    count++;
  }
  return count;
}

const START = { 'a.txt': 'alpha\nbeta\n', 'b.txt': LONG };

describe('any sequence of writes', () => {
  it('is undone step by step to the first tree, and redone to the last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { maxLength: 8 }), async (wishes) => {
        const place = await desk(START);
        const first = treeOf(place.root);
        const trees = [first];
        for (const wished of wishes) if (carryOut(place, [wished]) > 0) trees.push(treeOf(place.root));
        const count = trees.length - 1;
        for (let i = count - 1; i >= 0; i--) {
          expect(place.changes.undo()).toMatchObject({ ok: true });
          expect(withoutModes(treeOf(place.root))).toEqual(withoutModes(trees[i]!));
        }
        expect(place.changes.undo()).toMatchObject({ ok: false, reason: 'nothing-to-do' });
        for (let i = 1; i <= count; i++) {
          expect(place.changes.redo()).toMatchObject({ ok: true });
          expect(withoutModes(treeOf(place.root))).toEqual(withoutModes(trees[i]!));
        }
        expect(place.changes.redo()).toMatchObject({ ok: false, reason: 'nothing-to-do' });
      }),
      { numRuns: runs(30) },
    );
  });

  it('is undone in one step to the first tree, and redone to the last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 10 }), async (wishes) => {
        const place = await desk(START);
        const first = treeOf(place.root);
        if (carryOut(place, wishes) === 0) return;
        const last = treeOf(place.root);
        const ids = place.changes.list().map(({ id }) => id);
        expect(place.changes.undo(ids)).toMatchObject({ ok: true });
        expect(withoutModes(treeOf(place.root))).toEqual(withoutModes(first));
        expect(place.changes.list().filter(({ state, undoes }) => state === 'done' && undoes === undefined)).toEqual(
          [],
        );
        expect(place.changes.redo()).toMatchObject({ ok: true });
        expect(withoutModes(treeOf(place.root))).toEqual(withoutModes(last));
      }),
      { numRuns: runs(40) },
    );
  });
});

/** What cannot be taken back by itself: another text stands there since. */
const OVERWRITTEN = ['first', 'second'].map((text): Wish => {
  return { kind: 'write', name: 'a.txt', content: Buffer.from(text), mode: 0o644 };
});
/** The newest stands first. */
const OLDEST_OF_TWO = [false, true, false, false, false, false, false, false];

describe('a part of the changes', () => {
  it('is undone and redone completely, or not at all', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(wish, { minLength: 2, maxLength: 8 }),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        async (wishes, picks) => {
          const place = await desk(START);
          carryOut(place, wishes);
          const last = treeOf(place.root);
          const ids = place.changes.list().flatMap(({ id }, i) => (picks[i] === true ? [id] : []));
          const undone = place.changes.undo(ids);
          if (undone.ok) expect(place.changes.redo()).toMatchObject({ ok: true });
          else refused++;
          expect(withoutModes(treeOf(place.root))).toEqual(withoutModes(last));
        },
      ),
      { numRuns: runs(40), examples: [[OVERWRITTEN, OLDEST_OF_TWO]] },
    );
    expect(refused).toBeGreaterThan(0);
  });
});

describe('the diff of any change of text', () => {
  const line = fc.constantFrom('a\n', 'bé\r\n', '\n', 'a longer line with some words in it\n', '漢字\n');
  const text = fc.array(line, { minLength: 300, maxLength: 500 }).map((lines) => lines.join(''));
  const spots = fc.array(fc.tuple(fc.nat(1000), fc.nat(30), fc.array(line, { maxLength: 3 })), {
    minLength: 1,
    maxLength: 6,
  });

  it('is a valid patch from the old text to the new', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), spots, async (before, ended, wanted) => {
        const old = ended ? before : `${before}end`;
        const starts = wanted.map(([part]) => Math.floor((part / 1001) * old.length)).sort((a, b) => a - b);
        const splices = starts.map((start, i) => {
          const [, length, lines] = wanted[i]!;
          const end = Math.min(start + length, starts[i + 1] ?? old.length);
          return { start: byteAt(old, start), end: byteAt(old, end), bytes: Buffer.from(lines.join('')) };
        });
        const place = await desk({ 'a.txt': old });
        const id = place.commit({ edit: 'a.txt', splices });
        const [file] = place.changes.diff(id)!;
        const after = place.text('a.txt');
        if (after !== old) expect(applyPatch(old, file!.diff, { autoConvertLineEndings: false })).toBe(after);
      }),
      { numRuns: runs(30) },
    );
  });
});

function byteAt(text: string, offset: number): number {
  return Buffer.byteLength(text.slice(0, offset));
}

/** A file that takes the place of another one keeps that one's mode, so modes are a test of their own. */
function withoutModes(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).map(([name, text]) => [name, text.slice(text.indexOf(' ') + 1)]));
}
