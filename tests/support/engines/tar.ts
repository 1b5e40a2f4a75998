/** A small archive in the old format that every engine imports: folders, files and links. */

export type TarEntry =
  | { readonly name: string; readonly kind: 'folder'; readonly mode?: number }
  | { readonly name: string; readonly kind: 'file'; readonly bytes: Uint8Array; readonly mode?: number }
  | { readonly name: string; readonly kind: 'link'; readonly to: string };

const BLOCK = 512;
const TYPES = { file: '0', link: '2', folder: '5' } as const;

export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

function blocksOf(entry: TarEntry): Buffer[] {
  const bytes = entry.kind === 'file' ? entry.bytes : new Uint8Array();
  const mode = entry.kind === 'link' ? 0o777 : (entry.mode ?? (entry.kind === 'folder' ? 0o755 : 0o644));
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(entry.name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(0, 136, 12);
  header.write('        ', 148, 'latin1');
  header.write(TYPES[entry.kind], 156, 'latin1');
  if (entry.kind === 'link') header.write(entry.to, 157, 'utf8');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return [header, Buffer.from(bytes), Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}
