import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../src/text/address/index.ts';
import {
  bytesSource,
  encodeText,
  findOcPaths,
  findOcPathsInLines,
  parseDocument,
  resolveOcPath,
  resolveOcPathInLines,
} from '../../../src/text/path/index.ts';

const LOG =
  '{"event":"start","n":1}\r\n\nbroken\n{"\\u0065vent":"tool\\u005fcall","name":"read","u":{"in":200}}\n{"event":"end","n":[1,{"x":null}]}';

describe('the streaming form', () => {
  it.each([
    '*',
    '*/event',
    '**',
    '**/x',
    '[event=tool_call]/name',
    '[u.in>100]',
    '{L1,$last}/event',
    '#1/event',
    '$first/*',
    'L2',
    '*/n/**',
  ])('agrees with the document in memory on %s', (pattern) => {
    const path = parseOcPath(`oc://s.jsonl/${pattern}`);
    const streamed = [...findOcPathsInLines(bytesSource(encodeText(LOG)), path)];
    expect(streamed).toEqual([...findOcPaths(parseDocument(LOG, 'jsonl'), path)]);
    expect(streamed.length).toBeGreaterThan(0);
  });

  it.each(['L1/n', 'L2', 'L4/u/in', '$last/n', '$last/n/1/x', 'L9', '$first', '+', 'L1/+k'])(
    'resolves %s alike',
    (address) => {
      const path = parseOcPath(`oc://s.jsonl/${address}`);
      expect(resolveOcPathInLines(bytesSource(encodeText(LOG)), path)).toEqual(
        resolveOcPath(parseDocument(LOG, 'jsonl'), path),
      );
    },
  );

  it('refuses to resolve a pattern', () => {
    expect(() => resolveOcPathInLines(bytesSource(encodeText(LOG)), parseOcPath('oc://s.jsonl/*'))).toThrow(
      /may match several/,
    );
  });
});
