import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bitmap } from '../../hosts/media/bitmap.ts';
import { pdfOf } from '../../hosts/media/pdf-bytes.ts';
import { reading, textIn } from './reading.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();

describe('read on images', () => {
  it('detects the type by content, and reports the scale', async () => {
    const bytes = await picture(2400, 1200);
    const { read } = reading({ 'photo.txt': bytes });
    const result = await read({ path: 'photo.txt' });
    expect(textIn(result)).toBe(
      'Read image file [image/png]\n[Image: original 2400x1200, displayed at 1200x600. Multiply coordinates by 2 to map to original image.]',
    );
    expect(result.details).toEqual({
      path: 'photo.txt',
      workspaceOnly: true,
      kind: 'image',
      mimeType: 'image/png',
      width: 1200,
      height: 600,
      bytes: bytes.length,
      original: { mimeType: 'image/png', width: 2400, height: 1200, bytes: bytes.length },
    });
    const [, image] = result.content;
    if (image?.type !== 'image') throw new Error('expected a picture');
    expect(await sharp(Buffer.from(image.data, 'base64')).metadata()).toMatchObject({
      format: 'png',
      width: 1200,
      height: 600,
    });
  });

  it('shows a small image unchanged', async () => {
    const { read } = reading({ 'a.bmp': bitmap(3, 2, 24) });
    expect(textIn(await read({ path: 'a.bmp' }))).toBe('Read image file [image/bmp]\n[Image: 3x2.]');
  });

  it('refuses an image that is too large or damaged', async () => {
    const bytes = await picture(10, 10);
    const { read } = reading({
      big: Buffer.concat([bytes, new Uint8Array(10 << 20)]),
      cut: bytes.subarray(0, 40),
    });
    expect((await read({ path: 'big' })).details['code']).toBe('READ_IMAGE_TOO_LARGE');
    expect((await read({ path: 'cut' })).details['code']).toBe('READ_IMAGE_UNREADABLE');
  });
});

describe('read on PDFs', () => {
  it('returns pages with their numbers', async () => {
    const { read } = reading({ 'a.pdf': pdfOf(['One', 'Two']) });
    const result = await read({ path: 'a.pdf' });
    expect(textIn(result)).toBe('--- Page 1 of 2 ---\nOne\n\n--- Page 2 of 2 ---\nTwo\n');
    expect(result.details).toMatchObject({ kind: 'pdf', totalPages: 2, pages: { from: 1, to: 2 } });
  });

  it.each([
    [{}, '1-20', '[Showing pages 1-20 of 45. Use pages="21-40" to continue.]'],
    [{ pages: '21-40' }, '21-40', '[Showing pages 21-40 of 45. Use pages="41-45" to continue.]'],
    [{ pages: '41-45' }, '41-45', undefined],
    [{ pages: '1-45' }, '1-20', '[Showing pages 1-20 of 45. Use pages="21-40" to continue.]'],
    [{ pages: '44' }, '44-44', '[Showing pages 44-44 of 45. Use pages="45-45" to continue.]'],
  ])('shows for %j the pages %s', async (asked, pages, notice) => {
    const { read } = reading({ f: pdfOf(Array.from({ length: 45 }, (_, i) => `text ${i + 1}`)) });
    const result = await read({ path: 'f', ...asked });
    const { from, to } = result.details['pages'] as { from: number; to: number };
    expect(`${from}-${to}`).toBe(pages);
    expect(textIn(result).endsWith(notice ?? '\ntext 45\n')).toBe(true);
  });

  it('pages inside of the text when the pages are long', async () => {
    const long = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n');
    const { read } = reading({ f: pdfOf([long]) });
    const result = await read({ path: 'f', limit: 5 });
    expect(textIn(result)).toMatch(/\[36 more lines in file\. Use offset=6, with pages="1-1", to continue\.\]$/u);
    expect(textIn(await read({ path: 'f', pages: '1-1', offset: 40 }))).toBe('line 38\nline 39\n');
  });

  it('reports scanned pages, missing pages and invalid ranges', async () => {
    const { read } = reading({ scan: pdfOf(['', '']), text: 'x' });
    const scanned = await read({ path: 'scan' });
    expect(scanned.details).toMatchObject({ scanned: true, totalPages: 2 });
    expect(textIn(scanned)).toMatch(/\[no text on this page\][^]*probably scanned/u);
    expect((await read({ path: 'scan', pages: '7' })).error).toBe('scan has no page 7; it has 2');
    expect((await read({ path: 'scan', pages: '5-1' })).details['code']).toBe('PARAM_INVALID');
  });
});

describe('read on notebooks', () => {
  it('shows cells with their outputs and images', async () => {
    const image = (await picture(30, 20)).toString('base64');
    const notebook = {
      metadata: { language_info: { name: 'python' } },
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'words'] },
        {
          cell_type: 'code',
          execution_count: 3,
          source: 'plot()\n',
          outputs: [
            { output_type: 'stream', text: ['hello\n', 'there\n'] },
            { output_type: 'display_data', data: { 'image/png': image, 'text/plain': '<Figure>' } },
            { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[31mTrace\u001b[0m', 'E: v'] },
          ],
        },
      ],
    };
    const { read } = reading({ 'a.ipynb': JSON.stringify(notebook) });
    const result = await read({ path: 'a.ipynb' });
    expect(textIn(result)).toBe(
      [
        '--- Cell 1 (markdown) ---',
        '# Title',
        'words',
        '',
        '--- Cell 2 (code, python, run 3) ---',
        'plot()',
        '--- Output of cell 2 ---',
        'hello',
        'there',
        '--- Output of cell 2 (display_data) ---',
        '[image/png: image 1]',
        '<Figure>',
        '--- Output of cell 2 (error) ---',
        'Trace',
        'E: v',
        '',
      ].join('\n'),
    );
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect(result.details).toMatchObject({ kind: 'notebook', cells: 2, totalLines: 15, path: 'a.ipynb' });
    expect((await read({ path: 'a.ipynb', limit: 5 })).content.length).toBe(1);
  });

  it.each([
    ['broken JSON', '{"cells": ['],
    ['other JSON', '{"a": 1}'],
    ['cells that are none', '{"cells": {}}'],
  ])('falls back to text for %s', async (_, content) => {
    const { read } = reading({ 'a.ipynb': content });
    const result = await read({ path: 'a.ipynb' });
    expect(textIn(result)).toBe(`${content}\n[Shown as text: this is not a valid notebook.]`);
    expect(result.details['kind']).toBe('text');
  });

  it('accepts cells of any shape', async () => {
    const { read } = reading({
      'a.ipynb': '{"cells": [null, 1, {"cell_type": 5, "outputs": [null, {"data": {"image/png": "%%"}}]}]}',
    });
    const result = await read({ path: 'a.ipynb' });
    expect(textIn(result)).toMatch(/\[image\/png: image 1\]\n\n\[The image at line \d+ is not shown: /u);
    expect(result.content.length).toBe(1);
  });

  it('accepts a cell with very many lines and a deeply nested one', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const cells = `[{"source": ${JSON.stringify('\n'.repeat(300_000))}}, {"source": {"a": ${deep}}}]`;
    const { read } = reading({ 'a.ipynb': `{"cells": ${cells}}` });
    expect((await read({ path: 'a.ipynb' })).details).toMatchObject({ kind: 'notebook', cells: 2 });
  });
});
