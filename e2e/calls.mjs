// @ts-check
/** One call of every tool, in an order in which each finds what the ones before it left. */

/**
 * @typedef {{ content: { type: string, text?: string }[], structuredContent?: Record<string, unknown>, isError?: boolean }} Result
 * @typedef {{ tool: string, args: Record<string, unknown>, text: RegExp, data: Record<string, unknown> }} Call
 */

const PATCH = ['*** Begin Patch', '*** Add File: added.txt', '+by a patch', '*** End Patch', ''].join('\n');

/** @type {readonly Call[]} */
export const CALLS = [
  {
    tool: 'write',
    args: { path: 'notes.md', content: '## Notes\n\n- owner: nobody\n' },
    text: /^Successfully wrote 26 bytes to notes\.md/u,
    data: { path: 'notes.md', bytesWritten: 26, created: true },
  },
  {
    tool: 'edit',
    args: { path: 'notes.md', oldText: 'nobody', newText: 'somebody' },
    text: /^Successfully edited notes\.md/u,
    data: { path: 'notes.md' },
  },
  { tool: 'read', args: { path: 'notes.md' }, text: /- owner: somebody/u, data: { path: 'notes.md' } },
  {
    tool: 'path',
    args: { verb: 'resolve', path: 'oc://notes.md/notes/owner/owner' },
    text: /somebody/u,
    data: {},
  },
  { tool: 'apply_patch', args: { input: PATCH }, text: /added\.txt/u, data: {} },
  {
    tool: 'exec',
    args: { command: 'cat added.txt | tr a-z A-Z' },
    text: /^BY A PATCH$/u,
    data: { status: 'completed', exitCode: 0 },
  },
  { tool: 'process', args: { action: 'list' }, text: /./u, data: { status: 'completed' } },
  { tool: 'changes', args: { action: 'list' }, text: /notes\.md/u, data: {} },
];

/**
 * What is wrong with a result: its text and its data must each hold the answer alone, since many clients hand on only one.
 * @param {Call} call @param {Result} result @returns {string | undefined}
 */
export function problemOf(call, result) {
  const text = result.content.flatMap((one) => (one.type === 'text' ? [one.text ?? ''] : [])).join('\n');
  if (result.isError === true) return `an error: ${text}`;
  if (!call.text.test(text)) return `the text is ${JSON.stringify(text)}, not ${call.text}`;
  const data = result.structuredContent;
  if (data === undefined) return 'there is no structuredContent';
  const whole = typeof data['text'] === 'string' ? data['text'] : JSON.stringify(data);
  if (!call.text.test(whole)) return `structuredContent is ${JSON.stringify(data)}, without ${call.text}`;
  const wrong = Object.entries(call.data).find(([name, value]) => data[name] !== value);
  return wrong === undefined
    ? undefined
    : `${wrong[0]} is ${JSON.stringify(data[wrong[0]])}, not ${JSON.stringify(wrong[1])}`;
}
