import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { parseOcPath } from '../../../text/address/parse.ts';
import { toBase64 } from '../../../tools/read/base64.ts';
import { imageType } from '../../../tools/read/sniff.ts';
import type { Toolbox } from '../../assemble.ts';
import { textAtAddress } from '../../worker/text-at-address.ts';
import { mimeTypeOf } from './mime.ts';
import { refuseUnoffered } from './offered.ts';
import { addressOfUri } from './uri.ts';

/** JSON escapes may increase it sixfold, which still fits into one message of every client. */
const MOST_BYTES = 1 << 20;

type Tools = Pick<Toolbox, 'names' | 'sandboxed' | 'node' | 'call' | 'hides' | 'secretsView'>;

export type ResourceContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** Undefined if there is no such resource. A file that must not be read is a Fault, as in the tools. */
export async function readResource(
  { files, stateDir }: { readonly files: Files; readonly stateDir: string },
  tools: Tools,
  uri: string,
): Promise<ResourceContent | undefined> {
  const address = addressOfUri(uri);
  const { file: name, section } = parseOcPath(address);
  refuseUnoffered(tools, uri);
  if (section === undefined) return readFile(files, tools, uri, name);
  const text = await textAtAddress(files, stateDir, address, tools.secretsView);
  if (text === undefined) return undefined;
  refuseLarge(address, new TextEncoder().encode(text).length, 'name a smaller place in it');
  return { uri, mimeType: 'text/plain', text };
}

async function readFile(files: Files, tools: Tools, uri: string, name: string): Promise<ResourceContent> {
  const opened = contentOf(files, tools, name);
  if (opened === 'secrets') return { uri, mimeType: 'text/plain', text: await redacted(tools, name) };
  const text = utf8Text(opened);
  if (text === undefined)
    return { uri, mimeType: imageType(opened) ?? 'application/octet-stream', blob: toBase64(opened) };
  return { uri, mimeType: mimeTypeOf(name) ?? 'text/plain', text };
}

/** The bytes of a file, or `secrets` for a file with secrets, judged by this name and its real one. */
function contentOf(files: Files, tools: Tools, name: string): Uint8Array | 'secrets' {
  const file = files.openSlot(name);
  try {
    if (tools.hides([name, file.located.path], file)) return 'secrets';
    refuseLarge(name, file.size, 'read it in pages with the tool read, or name a place in it');
    return file.readAll();
  } finally {
    file.close();
  }
}

/** The text of the tool `read`: names without values, unless the operator shows secrets. */
async function redacted(tools: Tools, name: string): Promise<string> {
  const { content, isError, error = '', details } = await tools.call('read', { path: `./${name}` });
  if (isError === true) throw new Fault('READ_SECRET', error, { details });
  return content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n');
}

/** Undefined if the bytes are not UTF-8, or contain characters that no text has. */
function utf8Text(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // binary data
  }
}

function refuseLarge(name: string, bytes: number, hint: string): void {
  if (bytes <= MOST_BYTES) return;
  throw new Fault('READ_TOO_LARGE', `${name} has ${bytes} bytes; the limit of a resource is ${MOST_BYTES}`, {
    hint,
    details: { path: name, bytes, most: MOST_BYTES },
  });
}
