/** The open file of a read. */
import type { OpenFile } from '../../hosts/files/shape.ts';
import { type ByteSource, bytesSource, readRange } from '../../text/scan/source.ts';
import type { ToolContext } from '../tool.ts';

export interface Subject {
  readonly file: OpenFile;
  readonly source: ByteSource;
  /** The first bytes, which decide the type of the file; all bytes of a short file. */
  readonly head: Uint8Array;
  /** The name in answers. */
  readonly name: string;
  /** Members of every answer about this file. */
  readonly details: { readonly path: string; readonly workspaceOnly: boolean };
  /** For the model, about how the file was found. */
  readonly notices: readonly string[];
}

const HEAD = 1 << 16;

export function subjectOf(file: OpenFile, context: ToolContext, notices: readonly string[]): Subject {
  const { files } = context;
  const name = files.nameOf(file.located);
  // Files of the kernel (/proc) report the size 0 but have content.
  const head = file.size === 0 ? file.readAll() : readRange(file, 0, Math.min(file.size, HEAD));
  const source = head.length >= file.size ? bytesSource(head) : file;
  return { file, source, head, name, details: { path: name, workspaceOnly: files.workspaceOnly }, notices };
}

/** The caller must have checked the size. */
export function allBytes({ source, head }: Subject): Uint8Array {
  return head.length >= source.size ? head : readRange(source, 0, source.size);
}
