/** What `applyPatchTool` of the OpenAI Agents SDK takes: one file's diff at a time, done by our `apply_patch`. */
import { Fault } from '../../../base/fault.ts';
import { type ListedOperation, listPatch } from '../../../tools/apply-patch.ts';
import { textOf } from '../../library/agent-tool.ts';
import type { Hands } from '../../library/hands.ts';

interface Outcome {
  status: 'completed' | 'failed';
  output: string;
}

/** For `applyPatchTool({ editor })`. */
export interface OpenAiEditor {
  createFile(operation: { readonly path: string; readonly diff: string }): Promise<Outcome>;
  updateFile(operation: {
    readonly path: string;
    readonly diff: string;
    readonly moveTo?: string | undefined;
  }): Promise<Outcome>;
  deleteFile(operation: { readonly path: string }): Promise<Outcome>;
}

type Meant = Omit<ListedOperation, 'line'>;

/** The editor of one agent. */
export function openAiEditor(hands: Hands): OpenAiEditor {
  async function apply(lines: readonly string[], meant: Meant): Promise<Outcome> {
    const input = ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
    const problem = otherThan(input, meant);
    if (problem !== undefined) return { status: 'failed', output: problem };
    const result = await hands.call('apply_patch', { input });
    return { status: result.isError === true ? 'failed' : 'completed', output: textOf(result) };
  }

  return {
    createFile: ({ path, diff }) => apply([`*** Add File: ${path}`, ...linesOf(diff)], { operation: 'add', path }),
    updateFile: ({ path, diff, moveTo }) =>
      moveTo === undefined
        ? apply([`*** Update File: ${path}`, ...linesOf(diff)], { operation: 'update', path })
        : apply([`*** Update File: ${path}`, `*** Move to: ${moveTo}`, ...linesOf(diff)], {
            operation: 'move',
            path,
            moveTo,
          }),
    deleteFile: ({ path }) => apply([`*** Delete File: ${path}`], { operation: 'delete', path }),
  };
}

/** What is wrong with a patch that would do something else than was asked: a diff or a path can hold lines of a patch. */
function otherThan(input: string, meant: Meant): string | undefined {
  try {
    const [only, ...more] = listPatch(input);
    const same =
      only !== undefined &&
      more.length === 0 &&
      only.operation === meant.operation &&
      only.path === meant.path &&
      only.moveTo === meant.moveTo;
    return same ? undefined : `the diff of ${meant.path} must change this file and no other`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
  }
}

/** The lines of a diff, without the empty one after its last line break. */
function linesOf(diff: string): readonly string[] {
  const lines = diff.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
