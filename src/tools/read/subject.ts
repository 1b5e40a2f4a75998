/** The open file that a read is about. */
import type { OpenFile } from '../../hosts/files/shape.ts';
import { type ByteSource, bytesSource, readRange } from '../../text/scan/source.ts';
import type { ToolContext } from '../tool.ts';

export interface Subject {
  readonly file: OpenFile;
  readonly source: ByteSource;
  /** The first bytes, which decide what the file is; all of them when there are not more. */
  readonly head: Uint8Array;
  /** How the answer names it. */
  readonly name: string;
  /** What every answer about it says. */
  readonly details: { readonly path: string; readonly workspaceOnly: boolean };
  /** What the model should know about how it was found. */
  readonly notices: readonly string[];
}

const HEAD = 1 << 16;

export function subjectOf(file: OpenFile, context: ToolContext, notices: readonly string[]): Subject {
  const { files } = context;
  const name = files.nameOf(file.located);
  // The files of the kernel say that they have no bytes; whatever is read from them is what they have.
  const head = file.size === 0 ? file.readAll() : readRange(file, 0, Math.min(file.size, HEAD));
  const source = head.length >= file.size ? bytesSource(head) : file;
  return { file, source, head, name, details: { path: name, workspaceOnly: files.workspaceOnly }, notices };
}

/** All the bytes of a file that was found small enough to be held. */
export function allBytes({ source, head }: Subject): Uint8Array {
  return head.length >= source.size ? head : readRange(source, 0, source.size);
}
