import type { PatchOperation } from './operation.ts';
import { parsePatch } from './parse.ts';

/** One operation of a patch, for policy decisions. */
export interface ListedOperation {
  readonly operation: 'add' | 'update' | 'delete' | 'move';
  readonly path: string;
  readonly moveTo?: string;
  /** The line of the patch, from 1. */
  readonly line: number;
}

/** Uses the parser that also applies the patch, so that a hook judges exactly what would happen. */
export function listPatch(text: string): readonly ListedOperation[] {
  return parsePatch(text).operations.map(listed);
}

function listed(operation: PatchOperation): ListedOperation {
  const { kind, path, line } = operation;
  if (kind !== 'update' || operation.moveTo === undefined) return { operation: kind, path, line };
  return { operation: 'move', path, moveTo: operation.moveTo, line };
}

/** The possible paths, likeliest first: quotes around a path are removed only if no file has them in its name. */
export function pathVariants(path: string): readonly string[] {
  const inner = /^(["'`])(.+)\1$/su.exec(path)?.[2];
  return inner === undefined ? [path] : [path, inner];
}
