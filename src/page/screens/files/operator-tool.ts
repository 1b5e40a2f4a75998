/** Tools of the workspace, called as the person at the page: through the same gate and record as for an agent. */
import { check, type Schema } from '../../../wire/schema.ts';
import { CallError } from '../../socket/calls.ts';
import { call } from '../../state/server.ts';

export interface ToolAnswer<D> {
  readonly text: string;
  readonly details: D;
}

/** Rejects with a `CallError` where the tool refuses. The details are checked: they may come from a sandbox or a node. */
export async function callTool<D>(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  shape: Schema<D>,
  signal?: AbortSignal,
): Promise<ToolAnswer<D>> {
  const { content, details, isError, error } = await call('tool.call', { tool, args, as: 'operator' }, signal);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (isError === true) {
    const { code, hint } = details;
    throw new CallError({
      code: typeof code === 'string' ? code : 'PAGE_ANSWER',
      message: error ?? text,
      ...(typeof hint === 'string' ? { hint } : {}),
      details,
    });
  }
  try {
    return { text, details: check(shape, details, tool) };
  } catch (problem) {
    throw new CallError({ code: 'PAGE_ANSWER', message: (problem as Error).message });
  }
}
