import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localFiles } from '../../src/hosts/files/files.ts';
import { parseOcPath } from '../../src/text/address/index.ts';
import { jsonl } from '../../src/text/kinds/jsonl/jsonl.ts';
import { decodeText, encodeText } from '../../src/text/lines/bytes.ts';
import { linesSubject } from '../../src/tools/path/lines-subject.ts';
import type { Edit, Effect, Subject } from '../../src/tools/path/subject.ts';
import { memorySubject } from '../../src/tools/path/memory-subject.ts';
import { fc, runs } from '../support/property.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-lines-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The bytes of a file after an effect. */
function changedBy(text: string, effect: Effect): string {
  if (!effect.ok) return effect.reason;
  const bytes = Buffer.from(encodeText(text));
  if ('append' in effect) {
    const line = Buffer.from(effect.append.line).toString();
    if (text === '' || text === '\uFEFF' || text.endsWith('\n')) return text + line + effect.append.eol;
    return text + effect.append.eol + line;
  }
  let out = Buffer.alloc(0);
  let at = 0;
  for (const { start, end, bytes: put } of [...effect.splices].sort((a, b) => a.start - b.start)) {
    out = Buffer.concat([out, bytes.subarray(at, start), put]);
    at = end;
  }
  return decodeText(Buffer.concat([out, bytes.subarray(at)]));
}

const line = fc.constantFrom('{"a":1}', '{"a":{"b":[1,2]},"é":"x"}', '{ "a": "y" }', '', 'broken', '[1]', '7');
// One ending for all lines: where they are mixed, a window may take another one for a new line than the whole file would.
const log = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  .map(([lines, eol, closed, bom]) => {
    const text = lines.join(eol) + (closed && lines.length > 0 ? eol : '');
    return (bom ? '\uFEFF' : '') + text;
  });
const edit = fc.oneof(
  fc
    .tuple(fc.constantFrom('L1', 'L2', 'L3', '$last', '$first', '#1', 'L9', 'L2/a', '$last/a', 'L1/a/b/0'))
    .map(([address]): Edit => ({ verb: 'delete', path: parseOcPath(`oc://x.jsonl/${address}`) })),
  fc
    .tuple(
      fc.constantFrom('+', '+0', '+1', '+2', '+9', '+/k', 'L1/a', 'L2/+n', '$last/a', 'L3', 'L9/a', '#0/a/b/+'),
      fc.constantFrom('5', '{"z":1}'),
    )
    .map(
      ([address, text]): Edit => ({
        verb: 'set',
        path: parseOcPath(`oc://x.jsonl/${address}`),
        value: { text },
        options: {},
      }),
    ),
);

describe('a log read in windows', () => {
  it('is changed like the document in memory', () => {
    const file = join(folder, 'x.jsonl');
    const files = localFiles({ cwd: folder, stateDir: join(folder, 'state') });
    fc.assert(
      fc.property(log, edit, (text, change) => {
        writeFileSync(file, encodeText(text));
        const open = files.open(files.locate('x.jsonl'));
        try {
          const whole = memorySubject(jsonl.parse(text));
          const noWhole = (): Subject => {
            throw new Error('the whole file was asked for');
          };
          const streamed = changedBy(text, linesSubject(open, files.lineCounts(), noWhole).effect(change));
          // A record without a style of its own takes one from another line, and a window sees fewer of them.
          const unstyled = (result: string) => result.replaceAll('{ "z": 1 }', '{"z":1}');
          expect(unstyled(streamed)).toBe(unstyled(changedBy(text, whole.effect(change))));
        } finally {
          open.close();
        }
        expect(readFileSync(file)).toEqual(Buffer.from(encodeText(text)));
      }),
      { numRuns: runs(300) },
    );
  });
});
