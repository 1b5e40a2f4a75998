/** The editor for `applyPatchTool` of the OpenAI Agents SDK: one diff of one file at a time, applied by `apply_patch`. */
import { Fault } from '../../../base/fault.ts';
import { type ListedOperation, listPatch } from '../../../tools/apply-patch.ts';
import { resultText } from '../../library/agent-tool.ts';
import type { AgentToolbox } from '../../library/agent-toolbox.ts';

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

type ExpectedOperation = Omit<ListedOperation, 'line'>;

export function openAiEditor(agentTools: AgentToolbox): OpenAiEditor {
  async function apply(lines: readonly string[], expected: ExpectedOperation): Promise<Outcome> {
    const input = ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
    const problem = whyUnexpected(input, expected);
    if (problem !== undefined) return { status: 'failed', output: problem };
    const result = await agentTools.call('apply_patch', { input });
    return { status: result.isError === true ? 'failed' : 'completed', output: resultText(result) };
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

/** Why a patch would do something else than requested: a diff or a path can contain lines of patch syntax. */
function whyUnexpected(input: string, expected: ExpectedOperation): string | undefined {
  try {
    const [only, ...more] = listPatch(input);
    const same =
      only !== undefined &&
      more.length === 0 &&
      only.operation === expected.operation &&
      only.path === expected.path &&
      only.moveTo === expected.moveTo;
    return same ? undefined : `the diff of ${expected.path} must change this file only`;
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
