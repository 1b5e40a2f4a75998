import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { pdfText } from '../../../src/hosts/media/pdf.ts';
import { pdfOf } from './pdf-bytes.ts';

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no fault',
    (error) => (error instanceof Fault ? error.code : Promise.reject(error)),
  );
}

/** A page whose content unpacks to far more than the file has. */
function bomb(size: number): Uint8Array {
  const packed = deflateSync(Buffer.alloc(size, ' '));
  const head = Buffer.from(`<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`);
  return new Uint8Array(Buffer.concat([head, packed, Buffer.from('\nendstream')]));
}

describe('pdfText', () => {
  it('returns the text of the requested pages, with their lines', async () => {
    const bytes = pdfOf(['First page\nwith two lines', 'Second (page)', 'Third page']);
    expect(await pdfText(bytes, { from: 1, to: 2 })).toEqual({
      pages: [
        { number: 1, text: 'First page\nwith two lines' },
        { number: 2, text: 'Second (page)' },
      ],
      totalPages: 3,
    });
    expect(await pdfText(bytes, { from: 3, to: 22 })).toEqual({
      pages: [{ number: 3, text: 'Third page' }],
      totalPages: 3,
    });
    expect((await pdfText(bytes, { from: 4, to: 9 })).pages).toEqual([]);
  });

  it('does not change the given bytes', async () => {
    const bytes = pdfOf(['a']);
    await pdfText(bytes, { from: 1, to: 1 });
    expect(bytes.length).toBeGreaterThan(100);
  });

  it('reports an encrypted file', async () => {
    const secret = `<${'41'.repeat(32)}>`;
    const trailer = `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O ${secret} /U ${secret} /P -4 >>`;
    expect(await codeOf(pdfText(pdfOf(['a'], { trailer }), { from: 1, to: 1 }))).toBe('READ_PDF_ENCRYPTED');
  });

  it('reports a damaged file', async () => {
    expect(await codeOf(pdfText(Buffer.from('%PDF-1.4\nnothing more'), { from: 1, to: 1 }))).toBe('READ_PDF_BROKEN');
  });

  it('stops a file that takes too long or too much memory', async () => {
    const bytes = pdfOf(['x'], { stream: bomb(150 << 20) });
    expect(bytes.length).toBeLessThan(1 << 20);
    expect(await codeOf(pdfText(bytes, { from: 1, to: 1 }, { milliseconds: 30, memoryBytes: 4 << 30 }))).toBe(
      'READ_PDF_TOO_COMPLEX',
    );
    expect(await codeOf(pdfText(bytes, { from: 1, to: 1 }, { milliseconds: 60_000, memoryBytes: 32 << 20 }))).toBe(
      'READ_PDF_TOO_COMPLEX',
    );
  });
});
