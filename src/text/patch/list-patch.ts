import type { PatchOperation } from './operation.ts';
import { parsePatch } from './parse.ts';

/** One thing that a patch does to one path, for those who decide whether it may. */
export interface ListedOperation {
  readonly operation: 'add' | 'update' | 'delete' | 'move';
  readonly path: string;
  readonly moveTo?: string;
  /** Where the patch says so, from 1. */
  readonly line: number;
}

/** What a patch would do, by the parser that also applies it, so that no hook can be told another story. */
export function listPatch(text: string): readonly ListedOperation[] {
  return parsePatch(text).operations.map(listed);
}

function listed(operation: PatchOperation): ListedOperation {
  const { kind, path, line } = operation;
  if (kind !== 'update' || operation.moveTo === undefined) return { operation: kind, path, line };
  return { operation: 'move', path, moveTo: operation.moveTo, line };
}

/** How a path may be meant, likeliest first: quotes around it count only when no file has them in its name. */
export function pathVariants(path: string): readonly string[] {
  const inner = /^(["'`])(.+)\1$/su.exec(path)?.[2];
  return inner === undefined ? [path] : [path, inner];
}
