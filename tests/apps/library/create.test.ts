import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentTool, createTools, type CreateToolsOptions, ToolFailure } from '../../../src/apps/library/index.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc } from '../../support/property.ts';

function make(files: Readonly<Record<string, string>> = {}, options: Partial<CreateToolsOptions> = {}) {
  const folder = makeFolder({ 'ws/.keep': '', ...files });
  const workspace = join(folder, 'ws');
  const tools = createTools({ workspace, stateDir: join(folder, 'state'), durable: false, ...options });
  return { workspace, tools, tool: (name: string) => tools.find((tool) => tool.name === name)! };
}

const names = (tools: readonly AgentTool[]) => tools.map(({ name }) => name);

async function failureOf(work: Promise<unknown>): Promise<ToolFailure> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof ToolFailure)) throw new Error(`no failure: ${String(error)}`);
  return error;
}

describe('createTools', () => {
  it('returns objects with name, label, description, parameters and execute', () => {
    const { tools } = make();
    expect(names(tools)).toEqual(['read', 'write', 'edit', 'exec', 'process', 'path']);
    for (const tool of tools) {
      expect(tool).toMatchObject({ label: tool.name, description: expect.stringMatching(/\w/u) as string });
      expect(tool.parameters).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('throws for the former name of restrictions, which would have no effect', () => {
    const options = { tighter: { tools: { exec: { security: 'deny' } } } } as Partial<CreateToolsOptions>;
    expect(() => make({}, options)).toThrow(
      expect.objectContaining({ code: 'PARAM_UNKNOWN', message: 'the option "tighter" is now called "restrictions"' }),
    );
  });

  it.each([
    { said: { model: 'gpt-5.2', applyPatch: { enabled: true } }, offered: true },
    { said: { model: 'gpt-5.2', applyPatch: { enabled: true }, tools: { allow: ['exec'] } }, offered: true },
    { said: { model: 'gpt-5.2' }, offered: false },
    { said: { model: 'claude-opus-4', applyPatch: { enabled: true } }, offered: false },
    { said: { applyPatch: { enabled: true } }, offered: false },
    { said: {}, offered: false },
  ])('B26: offers apply_patch by the one rule: $said', ({ said, offered }) => {
    expect(names(make({}, said).tools).includes('apply_patch')).toBe(offered);
  });

  it('answers with content for the model and details for programs', async () => {
    const { tool, workspace } = make();
    const answer = await tool('write').execute('c1', { path: 'src/main.js', content: 'console.log("Hello, World");' });
    expect(answer.content).toEqual([{ type: 'text', text: 'Successfully wrote 28 bytes to src/main.js' }]);
    expect(answer.details).toMatchObject({ path: 'src/main.js', bytesWritten: 28, workspaceOnly: true });
    expect(readFileSync(join(workspace, 'src/main.js'), 'utf8')).toBe('console.log("Hello, World");');
  });

  it('throws what a tool cannot do, with all that the model should read as its message', async () => {
    const failure = await failureOf(make().tool('read').execute('c1', { path: 'nope.txt' }));
    expect(failure).toMatchObject({
      name: 'ToolFailure',
      message: 'file not found: nope.txt\ncheck the name, or list its folder',
      code: 'FS_NOT_FOUND',
      result: { isError: true, error: 'file not found: nope.txt' },
    });
  });

  it('returns results with isError with failures: result', async () => {
    const { tool } = make({}, { failures: 'result' });
    expect(await tool('read').execute('c1', { path: 'nope.txt' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'file not found: nope.txt\ncheck the name, or list its folder' }],
      details: { code: 'FS_NOT_FOUND' },
    });
  });

  it('throws an AbortError where the signal has fired, and does nothing', async () => {
    const { tool, workspace } = make();
    const failure = await failureOf(tool('write').execute('c1', { path: 'a', content: 'x' }, AbortSignal.abort()));
    expect({ name: failure.name, message: failure.message }).toEqual({ name: 'AbortError', message: 'Aborted' });
    expect(existsSync(join(workspace, 'a'))).toBe(false);
  });

  it('keeps paths inside of the workspace', async () => {
    const failure = await failureOf(make().tool('write').execute('c1', { path: '../out.txt', content: 'x' }));
    expect(failure.code).toMatch(/^FS_/u);
  });
});

describe('prepareArguments', () => {
  it.each([
    { tool: 'edit', sent: { file_path: 'a', old_string: 'b', new_string: '' }, path: 'a', oldText: 'b', newText: '' },
    { tool: 'edit', sent: { filePath: 'a', oldString: 'b', newString: 'c' }, path: 'a', oldText: 'b', newText: 'c' },
    { tool: 'write', sent: { file: 'a', content: '' }, path: 'a', content: '' },
    { tool: 'exec', sent: { cmd: 'ls', cwd: 'src' }, command: 'ls', workdir: 'src' },
    { tool: 'exec', sent: { command: 'ls', yield_ms: 5, env: null }, command: 'ls', yieldMs: 5 },
  ])('makes the names of $sent canonical', ({ tool: name, sent, ...canonical }) => {
    expect(make().tool(name).prepareArguments(sent)).toEqual(canonical);
  });

  it.each([
    { sent: { path: 'a', contents: 'x' }, code: 'PARAM_MISSING' },
    { sent: { path: 'a', content: 'x', mode: 1 }, code: 'PARAM_UNKNOWN' },
    { sent: { path: 'a', file: 'b', content: 'x' }, code: 'PARAM_CONFLICT' },
    { sent: 'text', code: 'PARAM_INVALID' },
    { sent: null, code: 'PARAM_INVALID' },
  ])('refuses $sent with $code', ({ sent, code }) => {
    const { tool } = make();
    expect(() => tool('write').prepareArguments(sent)).toThrow(expect.objectContaining({ code }) as Error);
  });

  it('changes nothing the second time', () => {
    const tool = make().tool('edit');
    const name = (...keys: string[]) => fc.constantFrom(...keys);
    const sent = fc
      .tuple(
        name('path', 'file_path', 'file'),
        name('oldText', 'old_string', 'oldString'),
        name('newText', 'new_text'),
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        fc.string(),
      )
      .map(([path, before, after, ...values]) => ({ [path]: values[0], [before]: values[1], [after]: values[2] }));
    fc.assert(
      fc.property(sent, (args) => {
        const once = tool.prepareArguments(args);
        expect(tool.prepareArguments(once)).toEqual(once);
      }),
    );
  });
});
