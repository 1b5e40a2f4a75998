import { describe, expect, it } from 'vitest';
import { readCall, readJsonText, readParameters } from '../../../../src/apps/cli/call/read-call.ts';
import { faultOf } from '../../../support/fault.ts';

const asked = { tool: 'read', args: { path: 'a.txt' } };

const sameLetters = (one: string, other: string) => one === other.toLowerCase();

describe('the envelope of a call', () => {
  it.each([
    ['args', { tool: 'read', args: { path: 'a.txt' } }],
    ['args as text', { tool: 'read', args: '{"path":"a.txt"}' }],
    ['parameters beside the tool', { tool: 'read', path: 'a.txt' }],
    ['a tool_call', { tool_call: { name: 'read', arguments: { path: 'a.txt' } } }],
    ['a tool_call with text', { tool_call: { name: 'read', arguments: '{"path":"a.txt"}' } }],
    ['a tool_call with its type', { type: 'tool_call', tool_call: { name: 'read', arguments: { path: 'a.txt' } } }],
  ])('is understood with %s', (_, value) => {
    expect(readCall(value, 'no-id')).toEqual(asked);
    expect(readCall({ id: 7, ...value }, 'id')).toEqual(asked);
  });

  it('gives an id to the tool where the call itself has none', () => {
    expect(readCall({ tool: 'changes', action: 'diff', id: 'x' }, 'no-id').args).toEqual({ action: 'diff', id: 'x' });
    expect(readCall({ tool: 'changes', action: 'list', id: 'x' }, 'id').args).toEqual({ action: 'list' });
  });

  it('calls with nothing where there are no arguments', () => {
    expect(readCall({ tool_call: { name: 'read' } }, 'id')).toEqual({ tool: 'read', args: {} });
    expect(readCall({ tool: 'read' }, 'id')).toEqual({ tool: 'read', args: {} });
  });

  it.each([
    [[], 'a call must be a JSON object'],
    [null, 'a call must be a JSON object'],
    ['read', 'a call must be a JSON object'],
    [{}, 'the call has no tool name'],
    [{ tool: 5 }, 'the call has no tool name'],
    [{ tool_call: 'read' }, 'tool_call needs a name'],
    [{ tool_call: { arguments: {} } }, 'tool_call needs a name'],
    [{ tool: 'edit', args: {}, dryrun: true }, 'unexpected member "dryrun" next to args'],
    [{ tool_call: { name: 'edit' }, path: 'a' }, 'unexpected member "path" next to tool_call'],
    [{ tool_call: { name: 'edit' }, tool: 'a' }, 'unexpected member "tool" next to tool_call'],
  ])('is refused as %j', (value, message) => {
    expect(faultOf(() => readCall(value, 'id'))).toMatchObject({ code: 'USAGE_CALL', message });
  });

  it.each([
    ['parameters', { path: 'a.txt' }],
    ['parameters beside the tool', { tool: 'read', path: 'a.txt' }],
    ['another name of the tool', { tool: 'READ', path: 'a.txt' }],
    ['args', { tool: 'read', args: { path: 'a.txt' } }],
    ['a tool_call', { tool_call: { name: 'read', arguments: { path: 'a.txt' } } }],
  ])('may stand behind the name of its tool as %s', (_, value) => {
    expect(readParameters('read', value, sameLetters)).toEqual(asked);
  });

  it('behind the name of another tool is refused, and what is no object is left to the tool', () => {
    expect(faultOf(() => readParameters('exec', { tool: 'read' }, sameLetters))).toMatchObject({
      code: 'USAGE_CALL',
      message: 'the command line names the tool exec, but the JSON names "read"',
      hint: 'remove one of the names, as in pincer call \'{"tool":"read"}\'',
    });
    expect(readParameters('exec', [1], sameLetters)).toEqual({ tool: 'exec', args: [1] });
  });

  it('says where its text is no JSON', () => {
    const fault = faultOf(() => readCall({ tool: 'read', args: '{"path":' }, 'id'));
    expect(fault).toMatchObject({
      code: 'USAGE_JSON',
      message: 'the arguments string is not JSON: a value is missing at character 9',
    });
    expect(readJsonText('[1]', 'it')).toEqual([1]);
  });

  it('keeps a member called __proto__ a member', () => {
    const { args } = readCall(JSON.parse('{"tool":"read","__proto__":{"path":"a"}}'), 'id');
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(Object.keys(args as object)).toEqual(['__proto__']);
  });
});
