import { describe, expect, it } from 'vitest';
import { characterBoundary } from '../../../src/text/encoding/boundary.ts';
import { requireEncoding, encodingNamed } from '../../../src/text/encoding/encoding.ts';
import { faultOf } from '../../support/fault.ts';
import { fc, runs } from '../../support/property.ts';
import { encodeAs } from './legacy-bytes.ts';

describe('encodingNamed', () => {
  it.each([
    ['latin1', 'windows-1252'],
    ['UTF8', 'utf-8'],
    ['utf-16', 'utf-16le'],
    ['GB2312', 'gbk'],
    ['sjis', 'shift_jis'],
    ['nonsense', undefined],
    ['x-user-defined', undefined],
    ['iso-2022-cn', undefined],
  ])('resolves %s to %s', (label, name) => {
    expect(encodingNamed(label)?.name).toBe(name);
  });

  it('lists the names for an unknown one', () => {
    expect(faultOf(() => requireEncoding('klingon'))).toMatchObject({
      code: 'READ_UNKNOWN_ENCODING',
      message: 'unknown encoding "klingon"',
    });
  });

  it('reads the euro sign and curly quotes of windows-1252', () => {
    const bytes = Uint8Array.from([0x80, 0x93, 0x61, 0x94, 0x81, 0xff]);
    expect(requireEncoding('cp1252').decode(bytes)).toBe('\u20ac\u201ca\u201d\u0081\u00ff');
  });
});

describe('characterBoundary', () => {
  const samples = {
    'utf-8': 'aé中😀\n',
    'utf-16le': 'aé中😀\n',
    'utf-16be': 'aé中😀\n',
    gb18030: 'a中文b,。\n',
    big5: 'a中文b,。\n',
    shift_jis: 'aｱアあ漢b\n',
    'euc-jp': 'aアあ漢b\n',
    'euc-kr': 'a한글b\n',
    'windows-1252': 'aéü\n',
  };

  it.each(Object.entries(samples))('cuts %s so that both parts decode to the whole', (name, alphabet) => {
    const encoding = requireEncoding(name);
    const text = fc.array(fc.constantFrom(...alphabet), { maxLength: 30 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(text, fc.nat(100), (content, at) => {
        const bytes = encodeAs(name, content);
        const cut = characterBoundary(encoding, bytes, at);
        expect(cut).toBeLessThanOrEqual(Math.min(at, bytes.length));
        expect(cut).toBeGreaterThan(Math.min(at, bytes.length) - 4);
        expect(encoding.decode(bytes.subarray(0, cut)) + encoding.decode(bytes.subarray(cut))).toBe(content);
      }),
    );
  });

  it('cuts any bytes so that their UTF-8 text, damage included, stays the same', () => {
    const encoding = requireEncoding('utf-8');
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(0x80, 0xbf, 0xc2, 0xe4, 0xf0, 0x41));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 20 }), fc.nat(24), (list, at) => {
        const bytes = Uint8Array.from(list);
        const cut = characterBoundary(encoding, bytes, at);
        expect(encoding.decode(bytes.subarray(0, cut)) + encoding.decode(bytes.subarray(cut))).toBe(
          encoding.decode(bytes),
        );
      }),
      { numRuns: runs(2000) },
    );
  });
});
