import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateText, type ModelMessage, stepCountIs, streamText, type ToolSet } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { aiSdkTools } from '../../../src/apps/adapters/ai-sdk.ts';
import { UNTIL_GO } from '../../support/patience.ts';
import { judgedOptions } from './judged.ts';

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const callOf = (toolName: string, input: object, toolCallId: string) => ({
  type: 'tool-call' as const,
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

/** A model that makes one call, then says `done`. */
function modelThatCalls(toolName: string, input: object, toolCallId = 'c1') {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? {
            content: [{ type: 'text', text: 'done' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: USAGE,
            warnings: [],
          }
        : {
            content: [callOf(toolName, input, toolCallId)],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage: USAGE,
            warnings: [],
          },
  });
}

/** What the model is told about its calls. */
function toldOf({ doGenerateCalls }: MockLanguageModelV3): unknown[] {
  return doGenerateCalls.flatMap(({ prompt }) => {
    const last = prompt.at(-1);
    return last?.role === 'tool' ? last.content.map((part) => ('output' in part ? part.output : part)) : [];
  });
}

async function place() {
  const { gateway, folder, options } = await judgedOptions();
  const { tools, toolApproval } = aiSdkTools({ ...options, by: 'ada' });
  const run = (model: MockLanguageModelV3, messages: ModelMessage[]) =>
    generateText({ model, tools: tools satisfies ToolSet, messages, stopWhen: stepCountIs(3) });
  return { gateway, folder, tools, toolApproval, run };
}

const ASK: ModelMessage[] = [{ role: 'user', content: 'go' }];

describe('the tools for the AI SDK', () => {
  it('show the model their schemas', async () => {
    const { run, tools } = await place();
    const model = modelThatCalls('read', { path: 'a.txt' });
    await run(model, ASK);
    expect(model.doGenerateCalls[0]!.tools?.map(({ name }) => name)).toEqual(Object.keys(tools));
    expect(model.doGenerateCalls[0]!.tools?.[0]).toMatchObject({
      type: 'function',
      name: 'read',
      inputSchema: { type: 'object', required: ['path'] },
    });
  });

  it('accept aliases of parameters, and return the text of the result to the model', async () => {
    const { run, folder } = await place();
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    const model = modelThatCalls('edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
    await run(model, ASK);
    expect(toldOf(model)).toEqual([{ type: 'text', value: 'Successfully edited a.txt' }]);
  });

  it('return images as images', async () => {
    const { tools } = await place();
    const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };
    expect(tools['read']!.toModelOutput({ output: { content: [image], details: {} } })).toEqual({
      type: 'content',
      value: [{ type: 'image-data', data: 'AA==', mediaType: 'image/png' }],
    });
  });

  it('report failures to the model', async () => {
    const { run } = await place();
    const model = modelThatCalls('read', { path: 'nope.txt' });
    await run(model, ASK);
    expect(toldOf(model)).toEqual([
      { type: 'error-text', value: 'file not found: nope.txt\ncheck the name, or list its folder' },
    ]);
  });

  it('report the invalid parameter to the model', async () => {
    const { run } = await place();
    const model = modelThatCalls('read', { path: 'a.txt', lines: 3 });
    await run(model, ASK);
    expect(JSON.stringify(toldOf(model))).toContain('read has no parameter');
  });
});

describe('a command that needs approval', () => {
  it('becomes a request for approval and does not run', async () => {
    const { run, folder } = await place();
    const { content } = await run(modelThatCalls('exec', { command: 'touch made' }), ASK);
    expect(content.map(({ type }) => type)).toEqual(['tool-call', 'tool-approval-request']);
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it.each([true, false])('runs as the user answers: %s', async (approved) => {
    const { run, folder, gateway } = await place();
    const model = modelThatCalls('exec', { cmd: 'touch made' });
    const { content, response } = await run(model, ASK);
    const request = content.find((part) => part.type === 'tool-approval-request')!;
    const messages: ModelMessage[] = [
      ...ASK,
      ...response.messages,
      {
        role: 'tool',
        content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved }],
      },
    ];
    expect((await run(model, messages)).text).toBe('done');
    expect(existsSync(join(folder, 'made'))).toBe(approved);
    const approvals = await gateway.call('approval.list', { state: 'all' });
    expect(approvals.map(({ decision, resolvedBy }) => ({ decision, resolvedBy }))).toEqual(
      approved ? [{ decision: 'allow-once', resolvedBy: 'ada' }] : [],
    );
  });

  it('has its reason where version 7 asks for it', async () => {
    const { toolApproval } = await place();
    const status = (command: string) => toolApproval['exec']!({ command }, { toolCallId: 'c1' });
    expect(await status('touch made')).toEqual({
      type: 'user-approval',
      reason: expect.stringContaining('touch') as string,
    });
    expect(await status('')).toEqual({ type: 'not-applicable' });
  });

  const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'exec', input: { command: 'touch made' } };
  const asked = { role: 'assistant', content: [call, request] };
  const yes = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }] };
  it.each([
    { why: 'nobody answered', messages: [asked] },
    {
      why: 'the answer is about another call',
      messages: [asked, { ...yes, content: [{ ...yes.content[0], approvalId: 'a2' }] }],
    },
    { why: 'the answer is old', messages: [asked, yes, { role: 'user', content: 'x' }] },
    { why: 'nobody asked', messages: [{ role: 'assistant', content: [call] }, yes] },
    {
      why: 'another command was asked about',
      messages: [{ role: 'assistant', content: [{ ...call, input: { command: 'touch x' } }, request] }, yes],
    },
    {
      why: 'another command was asked about under its id',
      messages: [{ role: 'assistant', content: [{ ...call, input: { command: 'touch x' } }, request, call] }, yes],
    },
    { why: 'it was called only after the question', messages: [{ role: 'assistant', content: [request, call] }, yes] },
    { why: 'the user says it', messages: [asked, { ...yes, role: 'user' }] },
    {
      why: 'there are no ids',
      messages: [
        { role: 'assistant', content: [{ type: 'tool-approval-request' }] },
        { role: 'tool', content: [{ type: 'tool-approval-response', approved: true }] },
      ],
    },
  ])('is not run by execute where $why', async ({ messages }) => {
    const { tools, folder } = await place();
    expect(await statusOf(tools, messages)).toBe('approval-pending');
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it('is run by execute once for one yes', async () => {
    const { tools } = await place();
    const both = await Promise.all([statusOf(tools, [asked, yes]), statusOf(tools, [asked, yes])]);
    expect(new Set(both)).toEqual(new Set(['approval-pending', 'completed']));
    expect(await statusOf(tools, [asked, yes])).toBe('approval-pending');
  });

  /** What becomes of the call after these messages. */
  async function statusOf(tools: Awaited<ReturnType<typeof place>>['tools'], messages: readonly unknown[]) {
    const ran = tools['exec']!.execute({ command: 'touch made' }, { toolCallId: 'c1', messages });
    const results = [];
    for await (const result of ran as AsyncIterable<{ details: Readonly<Record<string, unknown>> }>)
      results.push(result);
    return results.at(-1)?.details['status'];
  }
});

describe('a command that runs', () => {
  it('yields preliminary results and then the result', async () => {
    const { options, folder } = await judgedOptions({});
    const { tools } = aiSdkTools(options);
    const command = `echo one; ${UNTIL_GO}; echo two`;
    const model = new MockLanguageModelV3({
      doStream: async () => ({
        stream: simulateReadableStream({
          chunks: [
            callOf('exec', { command, yieldMs: 50_000 }, 'c1'),
            { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage: USAGE },
          ],
        }),
      }),
    });
    const results: { preliminary: boolean; text: string }[] = [];
    for await (const part of streamText({ model, tools: tools satisfies ToolSet, prompt: 'go' }).fullStream) {
      if (part.type !== 'tool-result') continue;
      const text = JSON.stringify(part.output);
      results.push({ preliminary: part.preliminary === true, text });
      if (text.includes('one')) writeFileSync(join(folder, 'go'), '');
    }
    expect(results.some(({ preliminary, text }) => preliminary && text.includes('one') && !text.includes('two'))).toBe(
      true,
    );
    expect(results.filter(({ preliminary }) => !preliminary)).toEqual([
      { preliminary: false, text: expect.stringContaining('one\\ntwo') as string },
    ]);
  });

  it('is ended by the signal of the run', async () => {
    const { options, gateway } = await judgedOptions({});
    const { tools } = aiSdkTools(options);
    const stop = new AbortController();
    const results = tools['exec']!.execute(
      { command: 'exec sleep 60' },
      { toolCallId: 'c1', abortSignal: stop.signal },
    );
    const listening = (async () => {
      for await (const _ of results as AsyncIterable<unknown>) stop.abort();
    })();
    await expect(listening).rejects.toMatchObject({ name: 'AbortError' });
    const sessions = await gateway.call('session.list', { caller: { agent: 'main' } });
    expect(sessions.filter(({ status }) => status === 'running')).toEqual([]);
  });
});
