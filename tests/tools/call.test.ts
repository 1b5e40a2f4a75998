import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Files } from '../../src/hosts/files/shape.ts';
import { callTool } from '../../src/tools/call.ts';
import { textResult, type Tool } from '../../src/tools/tool.ts';
import { object, string } from '../../src/wire/schema.ts';

const echo: Tool = {
  name: 'echo',
  alsoCalled: ['say'],
  description: 'Says it again.',
  input: object({ text: string() }),
  effects: 'reads',
  run: async ({ text }) => {
    if (text === 'fault') throw new Fault('FS_CHANGED', 'it changed', { hint: 'read it', details: { path: 'a' } });
    if (text === 'defect') throw new TypeError('oops');
    return textResult(String(text), {});
  },
};
const call = (name: string, input: unknown) => callTool([echo], name, input, { files: {} as Files });

describe('a call', () => {
  it.each(['echo', 'say'])('finds the tool as %s', async (name) => {
    expect(await call(name, { text: 'x' })).toEqual({ content: [{ type: 'text', text: 'x' }], details: {} });
  });

  it('turns a fault into a result with message, hint and code', async () => {
    expect(await call('echo', { text: 'fault' })).toEqual({
      content: [{ type: 'text', text: 'it changed\nread it' }],
      details: { path: 'a', code: 'FS_CHANGED', hint: 'read it' },
      isError: true,
      error: 'it changed',
    });
  });

  it.each([
    [{ path: '/ws/a/b' }, { path: 'a/b' }],
    [{ path: '/ws' }, { path: '.' }],
    [{ path: '/wsx/a' }, { path: '/wsx/a' }],
    [
      { path: 'a/b', paths: ['/ws/a', '/other'] },
      { path: 'a/b', paths: ['a', '/other'] },
    ],
    [{ path: 7 }, { path: 7 }],
  ])('makes paths of a fault relative to the workspace: %j', async (details, named) => {
    const fails: Tool = {
      ...echo,
      run: async () => {
        throw new Fault('FS_CHANGED', 'it changed', { details });
      },
    };
    const files = { workspace: '/ws' } as Files;
    expect((await callTool([fails], 'echo', { text: 'x' }, { files })).details).toEqual({
      ...named,
      code: 'FS_CHANGED',
    });
  });

  it.each([
    ['shout', { text: 'x' }, 'TOOL_UNKNOWN'],
    ['constructor', { text: 'x' }, 'TOOL_UNKNOWN'],
    ['echo', undefined, 'PARAM_INVALID'],
    ['echo', null, 'PARAM_INVALID'],
    ['echo', ['x'], 'PARAM_INVALID'],
    ['echo', {}, 'PARAM_MISSING'],
  ])('of %s with %j is a result with a code', async (name, input, code) => {
    expect(await call(name, input)).toMatchObject({ isError: true, details: { code } });
  });

  it('throws errors that are not faults', async () => {
    await expect(call('echo', { text: 'defect' })).rejects.toThrow(TypeError);
  });
});
