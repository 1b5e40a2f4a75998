/** `Files` with the single file that a bridge has fetched, for the tool `read`. */
import { posix } from 'node:path';
import { isBelow } from '../../base/inside.ts';
import { Fault } from '../../base/fault.ts';
import { hashOf } from '../../hosts/files/content-hash.ts';
import type { Files, Located, OpenFile, Stamp } from '../../hosts/files/shape.ts';

/** Reads files in a container or on another machine. Paths are absolute; `cwd` is the root. */
export interface SandboxBridge {
  readFile(params: { readonly filePath: string; readonly cwd: string }): Promise<Uint8Array> | Uint8Array;
  /** Null or undefined if the path does not exist. */
  stat(params: {
    readonly filePath: string;
    readonly cwd: string;
  }): Promise<BridgeStat | null | undefined> | BridgeStat | null | undefined;
}

export interface BridgeStat {
  /** `directory` for a folder. */
  readonly type?: string;
}

export async function bridgeFiles(bridge: SandboxBridge, root: string, asked: string): Promise<Files> {
  const { path, bytes } = await fetchFile(bridge, root, asked);
  const located = { path, root } as Located;
  return {
    workspace: root,
    workspaceId: root,
    workspaceOnly: true,
    openPath(): OpenFile {
      if (bytes === undefined)
        throw new Fault('FS_NOT_FOUND', `file not found: ${asked}`, { details: { path: asked } });
      return openBytes(located, bytes);
    },
    placeOf: () => ({
      file: located,
      type: bytes === undefined ? 'nothing' : 'file',
      stamp: undefined,
      mode: undefined,
    }),
    nameOf: () => posix.relative(root, path),
    list: () => [],
    hashOf,
    hasLeftovers: () => false,
    lineCounts: () => ({ recall: () => undefined, remember: () => {} }),
    locate: unreachable,
    locateOperator: unreachable,
    open: unreachable,
    openSlot: unreachable,
    writer: async () => unreachable(),
    changes: async () => unreachable(),
  };
}

/** A lexical check: the bridge itself decides about symlinks. */
function pathBelow(root: string, asked: string): string {
  if (asked.includes('\0')) throw new Fault('FS_NAME_NUL', 'the path contains a NUL character');
  const path = posix.resolve(root, asked);
  if (isBelow(path, root)) return path;
  throw new Fault('FS_OUTSIDE_WORKSPACE', `${asked} is outside ${root}`, {
    hint: 'name a file below the root',
    details: { path: asked },
  });
}

interface FetchedFile {
  readonly path: string;
  /** Undefined if there is no file. */
  readonly bytes: Uint8Array | undefined;
}

/** A leading `@` belongs to the name if such a file exists; models also add it to other names. */
async function fetchFile(bridge: SandboxBridge, cwd: string, asked: string): Promise<FetchedFile> {
  const filePath = pathBelow(cwd, asked);
  const status = await bridge.stat({ filePath, cwd });
  if (status === null || status === undefined)
    return /^@./u.test(asked) ? fetchFile(bridge, cwd, asked.slice(1)) : { path: filePath, bytes: undefined };
  if (status.type === 'directory')
    throw new Fault('READ_IS_FOLDER', `${asked} is a folder, not a file`, { details: { path: asked } });
  const bytes: unknown = await bridge.readFile({ filePath, cwd });
  if (bytes instanceof Uint8Array) return { path: filePath, bytes };
  throw new Fault('PARAM_INVALID', 'readFile of the bridge must return a Uint8Array');
}

const NO_STAMP: Stamp = { dev: 0n, ino: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n };

function openBytes(located: Located, bytes: Uint8Array): OpenFile {
  return {
    located,
    size: bytes.length,
    stamp: { ...NO_STAMP, size: BigInt(bytes.length) },
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    readAll: () => bytes,
    close: () => {},
  };
}

/** The tool `read` calls none of these. */
function unreachable(): never {
  throw new Fault('INTERNAL_ERROR', 'a bridge supports reading only');
}
