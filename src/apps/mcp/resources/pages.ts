/** The pages of `resources/list`. A cursor contains the whole state, because the next page may be served by another server. */
import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { mimeTypeOf } from './mime.ts';
import { addressOfUri, uriOfFile } from './uri.ts';
import { type ListedFile, pageOfFiles } from './walk.ts';

const PAGE = 100;
/** Clients read all pages when they connect; further files are available through the template. */
const MOST_LISTED = 2000;

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size: number;
}

export interface ResourcePage {
  readonly resources: readonly ListedResource[];
  readonly nextCursor?: string;
  /** The folders that this page has listed. */
  readonly folders: readonly string[];
}

export function pageOfResources(files: Files, cursor: string | undefined): ResourcePage {
  const [after, before] = cursor === undefined ? ['', 0] : readCursor(cursor);
  const { files: found, next, folders } = pageOfFiles(files, after, Math.min(PAGE, MOST_LISTED - before));
  const count = before + found.length;
  const goesOn = next !== undefined && count < MOST_LISTED;
  return { resources: found.flatMap(resourceOf), folders, ...(goesOn ? { nextCursor: cursorOf(next, count) } : {}) };
}

function resourceOf({ name, size }: ListedFile): readonly ListedResource[] {
  const uri = uriOfFile(name);
  if (uri === undefined) return [];
  const mimeType = mimeTypeOf(name);
  const address = addressOfUri(uri);
  return [
    {
      uri,
      name,
      // The tool path does not accept encoded addresses.
      ...(address === uri ? {} : { description: `address for the tool path: ${address}` }),
      ...(mimeType === undefined ? {} : { mimeType }),
      size,
    },
  ];
}

function cursorOf(after: string, count: number): string {
  return Buffer.from(JSON.stringify([after, count])).toString('base64url');
}

function readCursor(cursor: string): readonly [string, number] {
  const [after, count] = parsed(cursor);
  if (typeof after === 'string' && Number.isSafeInteger(count) && count! >= 0 && count! < MOST_LISTED)
    return [after, count as number];
  throw new Fault('PARAM_INVALID', 'invalid cursor', {
    hint: 'call resources/list without a cursor for the first page',
    details: { parameter: 'cursor' },
  });
}

function parsed(cursor: string): readonly [unknown?, number?] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? (value as [unknown, number]) : [];
  } catch {
    return []; // the caller reports it
  }
}
