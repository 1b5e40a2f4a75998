/** Messages between a gateway and a node that a hostile end has changed: both survive, and the next link works. */
import { expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { output } from '../../support/gateway.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { fc, runs, timeoutFor } from '../../support/property.ts';
import { faultyPair } from './faulty-pair.ts';

const operator = { agent: '', operator: true } as const;
/** Kind, epoch and number of a message of a link; its payload follows. */
const HEADER_BYTES = 23;

/** Where a change takes place, as a share of the bytes, and what it does. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  how: fc.oneof(
    fc.record({ flip: fc.nat(7) }),
    fc.record({ cutOff: fc.constant(true) }),
    fc.record({ insert: fc.uint8Array({ minLength: 1, maxLength: 12 }) }),
    fc.record({ replace: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
  ),
  part: fc.constantFrom('header', 'payload'),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(message: Uint8Array, { at, how, part }: Change): Uint8Array {
  const bytes = Buffer.from(message);
  const [from, to] = part === 'header' ? [0, HEADER_BYTES] : [HEADER_BYTES, bytes.length];
  const offset = Math.min(bytes.length - 1, from + Math.floor(at * (to - from)));
  if ('flip' in how) bytes[offset] = bytes[offset]! ^ (1 << how.flip);
  else if ('cutOff' in how) return bytes.subarray(0, offset);
  else if ('insert' in how) return Buffer.concat([bytes.subarray(0, offset), how.insert, bytes.subarray(offset)]);
  else Buffer.from(how.replace).copy(bytes, offset);
  return bytes;
}

it.each([
  { end: 0, name: 'a gateway' },
  { end: 1, name: 'a node' },
] as const)(
  'whatever $name sends, the other end answers or fails, and the next link works',
  { timeout: timeoutFor(120_000) },
  async ({ end }) => {
    const pair = await faultyPair();
    let requests = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), fc.nat(8), async (changes, first) => {
          pair.connect();
          let number = 0;
          pair.onTheWay((message, from) => {
            const made = from === end ? changes[number++ - first] : undefined;
            return [made === undefined ? message : changed(message, made)];
          });
          requests++;
          const answered = pair.host.exec({ command: 'echo 12345', yieldMs: 20 }).catch((error: unknown) => error);
          await Promise.race([answered, eventLoopTurns(200)]);
          pair.connect(); // a link may live on without an answer
          const outcome = await answered;
          if (outcome instanceof Error) {
            expect(outcome).toBeInstanceOf(Fault);
            expect((outcome as Fault).code).not.toBe('INTERNAL_ERROR');
          }
          expect(output(await pair.host.exec({ command: 'echo clean' }))).toBe('clean\n');
          requests++;
        }),
        { numRuns: runs(25, 1_000) },
      );
      const started = pair.node.store.id.split('-').at(-1);
      expect(Number(started)).toBeLessThanOrEqual(requests); // the number of keys that the node has accepted
      await until(async () => {
        const sessions = await pair.node.gateway.call('session.list', { caller: operator });
        return sessions.every(({ status }) => status !== 'running');
      }, 'the end of all commands');
    } finally {
      await pair.close();
    }
  },
);
