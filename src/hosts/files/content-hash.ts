import type { ByteSource } from './shape.ts';

const WINDOW = 1 << 20;

/** SHA-256 in hexadecimal. */
export function hashOf(content: Uint8Array | ByteSource): string {
  // Loaded here, because most commands hash nothing.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  if (content instanceof Uint8Array) return hash.update(content).digest('hex');
  const window = new Uint8Array(Math.min(WINDOW, Math.max(1, content.size)));
  for (let offset = 0; offset < content.size; ) {
    const got = content.read(offset, window);
    if (got === 0) break;
    hash.update(window.subarray(0, got));
    offset += got;
  }
  return hash.digest('hex');
}
