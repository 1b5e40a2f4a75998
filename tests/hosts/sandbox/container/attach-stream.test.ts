import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { attachStream, FrameReader } from '../../../../src/hosts/sandbox/container/attach-stream.ts';
import { makeFolder } from '../../../support/folder.ts';
import { eventLoopTurns } from '../../../support/patience.ts';
import { fc } from '../../../support/property.ts';

function piece(stream: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

describe('the stream of a container', () => {
  it('is independent of how it is cut', () => {
    const pieces = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.string({ maxLength: 40 })), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1 }), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(([stream, text]) => piece(stream, text)));
        const got = { out: '', err: '' };
        const reader = new FrameReader();
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const length = cuts[i % cuts.length] ?? 1;
          reader.read(bytes.subarray(at, at + length), (stream, part) => {
            got[stream] += Buffer.from(part).toString('latin1');
          });
          at += length;
        }
        const of = (wanted: number) =>
          sent.map(([stream, text]) => (stream === wanted ? Buffer.from(text).toString('latin1') : '')).join('');
        expect(got).toEqual({ out: of(1), err: of(2) });
      }),
    );
  });

  it.each([
    ['another stream', [3, 0, 0, 0, 0, 0, 0, 1]],
    ['a header that is none', [1, 0, 7, 0, 0, 0, 0, 1]],
    ['the text of an error', [...Buffer.from('HTTP/1.1 ')]],
  ])('is refused when it holds %s', (_, bytes) => {
    expect(() => new FrameReader().read(Uint8Array.from(bytes), () => {})).toThrow('invalid container stream');
  });
});

/** Both ends of a real connection. */
async function connection(): Promise<{ readonly ours: Socket; readonly theirs: Socket }> {
  const path = join(makeFolder(), 's');
  const server = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const came = once(server, 'connection') as Promise<[Socket]>;
  const ours = connect(path);
  ours.pause();
  const [theirs] = await came;
  onTestFinished(() => {
    for (const end of [ours, theirs]) end.destroy();
    server.close();
  });
  return { ours, theirs };
}

describe('what is attached to a container', () => {
  it('reads its output, keeps its stderr apart, and writes its input', async () => {
    const { ours, theirs } = await connection();
    const { channel, stderr } = attachStream({ socket: ours, head: piece(1, 'first ') });
    theirs.end(Buffer.concat([piece(2, 'oh\n'), piece(1, 'second')]));
    expect((await channel.setEncoding('utf8').toArray()).join('')).toBe('first second');
    expect(stderr()).toBe('oh');
  });

  it('passes on the end of its input and still reads', async () => {
    const { ours, theirs } = await connection();
    const { channel } = attachStream({ socket: ours, head: new Uint8Array() });
    let heard = '';
    theirs.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    channel.end('input');
    await once(theirs, 'end');
    expect(heard).toBe('input');
    theirs.end(piece(1, 'answer'));
    expect((await channel.setEncoding('utf8').toArray()).join('')).toBe('answer');
  });

  it('reads no faster than it is read from', async () => {
    const { ours, theirs } = await connection();
    const { channel } = attachStream({ socket: ours, head: new Uint8Array() });
    const part = piece(1, 'x'.repeat(60_000));
    let sent = 0;
    const send = () => {
      while (sent < 1000 && theirs.write(part)) sent++;
    };
    theirs.on('drain', send);
    send();
    channel.read(0);
    // Both ends are in this process: when the event loop has turned in vain, nothing more comes.
    for (let before = -1; before < sent; ) {
      before = sent;
      await eventLoopTurns();
    }
    expect(sent).toBeLessThan(100);
    expect(channel.readableLength).toBeLessThan(1_000_000);
  });

  it('keeps only the end of long stderr', async () => {
    const { ours, theirs } = await connection();
    const { channel, stderr } = attachStream({ socket: ours, head: new Uint8Array() });
    theirs.end(Buffer.concat([piece(2, 'a'.repeat(50_000)), piece(2, 'end')]));
    channel.resume();
    await once(channel, 'close');
    expect(stderr()).toHaveLength(16 * 1024);
    expect(stderr().endsWith('aend')).toBe(true);
  });

  it('closes, with nothing thrown, when the engine sends something else', async () => {
    const { ours, theirs } = await connection();
    const { channel } = attachStream({ socket: ours, head: new Uint8Array() });
    theirs.write('this is no such stream');
    channel.resume();
    await new Promise((resolve) => channel.once('close', resolve));
    expect(ours.destroyed).toBe(true);
  });
});
