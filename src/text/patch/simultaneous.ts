/** A diff tells of all its files as they were before; a patch is done one operation after the other. */
import type { PatchOperation } from './operation.ts';
import { quoted, syntaxFault } from './syntax.ts';

/** The operations in an order in which no name is taken before the file that has it moves away. */
export function inOrder(operations: readonly PatchOperation[]): readonly PatchOperation[] {
  const movers = new Map(operations.filter(isMove).map((each) => [each.path, each]));
  const done = new Set<PatchOperation>();
  for (const operation of operations) {
    const waiting = new Set<PatchOperation>();
    for (let next: PatchOperation | undefined = operation; next !== undefined && !done.has(next); ) {
      if (waiting.has(next))
        throw syntaxFault(
          next.line - 1,
          `moves ${quoted(next.path)} in a circle of files that take each other's names`,
          'move them one after the other with *** Move File, one of them to a new name first',
        );
      waiting.add(next);
      const name = takenBy(next);
      next = name === undefined ? undefined : movers.get(name);
    }
    for (const each of [...waiting].toReversed()) done.add(each);
  }
  return [...done];
}

function isMove(operation: PatchOperation): boolean {
  return operation.kind === 'update' && operation.moveTo !== undefined && operation.moveTo !== operation.path;
}

/** The name that an operation gives to a file that did not have it. */
function takenBy(operation: PatchOperation): string | undefined {
  if (operation.kind === 'add') return operation.path;
  return operation.kind === 'update' ? operation.moveTo : undefined;
}
