import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Model, startModel } from '../../e2e/agents/model.mjs';

const LAST = 'All done.';
let model: Model;

beforeAll(async () => {
  model = await startModel([{ tool: 'exec', args: { command: 'ls' } }], LAST);
});

afterAll(() => model.close());

interface Format {
  readonly path: string;
  /** A request with tools, and with the result of one where it is given. */
  request(result?: string): Record<string, unknown>;
  /** What it gives for the first turn, and for the last. */
  readonly call: unknown;
  readonly last: unknown;
  readonly pick: (answer: Record<string, unknown>) => unknown;
}

const ARGUMENTS = '{"command":"ls"}';

const FORMATS: Readonly<Record<string, Format>> = {
  'Anthropic messages': {
    path: '/v1/messages',
    request: (result) => ({
      tools: [{ name: 'Bash' }, { name: 'mcp__pincer__exec' }],
      messages: [
        { role: 'user', content: 'go' },
        ...(result === undefined ? [] : [{ role: 'user', content: [{ type: 'tool_result', content: result }] }]),
      ],
    }),
    call: [{ type: 'tool_use', id: 'toolu_1', name: 'mcp__pincer__exec', input: { command: 'ls' } }],
    last: [{ type: 'text', text: LAST }],
    pick: (answer) => answer['content'],
  },
  'OpenAI responses': {
    path: '/v1/responses',
    request: (result) => ({
      tools: [{ type: 'namespace', name: 'mcp__pincer', tools: [{ name: 'exec' }] }],
      input: [
        { type: 'message', role: 'user' },
        ...(result === undefined ? [] : [{ type: 'function_call_output', output: result }]),
      ],
    }),
    call: [
      expect.objectContaining({ type: 'function_call', namespace: 'mcp__pincer', name: 'exec', arguments: ARGUMENTS }),
    ],
    last: [
      expect.objectContaining({ type: 'message', content: [{ type: 'output_text', text: LAST, annotations: [] }] }),
    ],
    pick: (answer) => answer['output'],
  },
  'chat completions': {
    path: '/v1/chat/completions',
    request: (result) => ({
      tools: [
        { type: 'function', function: { name: 'read' } },
        { type: 'function', function: { name: 'pincer_exec' } },
      ],
      messages: [{ role: 'user', content: 'go' }, ...(result === undefined ? [] : [{ role: 'tool', content: result }])],
    }),
    call: [
      expect.objectContaining({
        message: expect.objectContaining({
          tool_calls: [expect.objectContaining({ function: { name: 'pincer_exec', arguments: ARGUMENTS } })],
        }),
      }),
    ],
    last: [expect.objectContaining({ message: { role: 'assistant', content: LAST } })],
    pick: (answer) => answer['choices'],
  },
  'Gemini generateContent': {
    path: '/v1beta/models/any:generateContent',
    request: (result) => ({
      tools: [{ functionDeclarations: [{ name: 'mcp_pincer_exec' }] }],
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        ...(result === undefined ? [] : [{ role: 'user', parts: [{ functionResponse: { response: result } }] }]),
      ],
    }),
    call: [
      { content: { role: 'model', parts: [{ functionCall: { name: 'mcp_pincer_exec', args: { command: 'ls' } } }] } },
    ].map((one) => expect.objectContaining(one)),
    last: [expect.objectContaining({ content: { role: 'model', parts: [{ text: LAST }] } })],
    pick: (answer) => answer['candidates'],
  },
};

async function asked({ path, pick }: Format, body: Record<string, unknown>): Promise<unknown> {
  const response = await fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) });
  return pick((await response.json()) as Record<string, unknown>);
}

describe.each(Object.entries(FORMATS))('the scripted model in the format %s', (name, format) => {
  it('calls the tool of ours, and not one of the agent with that name', async () => {
    expect(await asked(format, format.request())).toEqual(format.call);
  });

  it('says its last text when the result is there, and keeps the first result that it saw', async () => {
    expect(await asked(format, format.request(`seen by ${name}`))).toEqual(format.last);
    expect(model.results).toEqual([`seen by ${Object.keys(FORMATS)[0]}`]);
  });
});
