import { requireEncoding } from '../../../src/text/encoding/encoding.ts';

/** Encoders for the tests, made by turning the decoders around. */
const tables = new Map<string, Map<string, Uint8Array>>();

function tableFor(name: string): Map<string, Uint8Array> {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const table = new Map<string, Uint8Array>();
  const decoder = requireEncoding(name);
  const add = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, Uint8Array.from(bytes));
  };
  for (let a = 0; a < 256; a++) add(a);
  for (let a = 0x81; a < 0xff; a++) for (let b = 0x40; b < 0xff; b++) add(a, b);
  tables.set(name, table);
  return table;
}

/** Text in an encoding from before UTF-8, or in UTF-16. */
export function encodeAs(name: string, text: string): Uint8Array {
  if (name === 'utf-8') return new TextEncoder().encode(text);
  if (name === 'utf-16le') return new Uint8Array(Buffer.from(text, 'utf16le'));
  if (name === 'utf-16be') return new Uint8Array(Buffer.from(text, 'utf16le').swap16());
  const table = tableFor(name);
  return Uint8Array.from(
    [...text].flatMap((char) => {
      const bytes = table.get(char);
      if (bytes === undefined) throw new Error(`${name} has no ${char}`);
      return [...bytes];
    }),
  );
}
