import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/apps/catalogue.ts';
import { commandLine, mcpRequest, shellQuoted } from '../../../../src/page/screens/try/as-call.ts';
import { argumentsOf, fieldsOf } from '../../../../src/page/screens/try/form.ts';
import { inputSchema } from '../../../../src/tools/tool.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 1, description: 'How many.' },
    name: { type: 'string' },
    ratio: { type: 'number' },
    isDry: { type: 'boolean' },
    mode: { type: 'string', enum: ['a', 'b'] },
    list: { type: 'array', items: { type: 'string' } },
    env: { type: 'object' },
  },
  required: ['name'],
  additionalProperties: false,
};
const FIELDS = fieldsOf(SCHEMA);

describe('a form', () => {
  it('has a field for each parameter, the required ones first', () => {
    expect(FIELDS.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['name', 'text', true],
      ['count', 'integer', false],
      ['ratio', 'number', false],
      ['isDry', 'boolean', false],
      ['mode', 'choice', false],
      ['list', 'json', false],
      ['env', 'json', false],
    ]);
  });

  it('is made from the schema of every tool', async () => {
    for (const { name, load } of CATALOGUE)
      expect([name, fieldsOf(inputSchema(await load())).length > 0]).toEqual([name, true]);
  });

  it('makes arguments of the right types, and leaves out what is empty', () => {
    const texts = { name: ' x ', count: '3', ratio: '0.5', isDry: 'false', mode: 'b', list: '["a"]', env: ' ' };
    expect(argumentsOf(FIELDS, texts)).toEqual({
      ok: true,
      args: { name: ' x ', count: 3, ratio: 0.5, isDry: false, mode: 'b', list: ['a'] },
    });
    expect(argumentsOf(FIELDS, {})).toEqual({ ok: true, args: { name: '' } });
  });

  it.each([
    ['count', 'many', 'This is not a number.'],
    ['count', '1.5', 'This is not a whole number.'],
    ['count', '0', 'The minimum is 1.'],
    ['list', '{}', 'This is not a JSON array: ["a", "b"].'],
    ['env', '[]', 'This is not a JSON object: {"name": "value"}.'],
    ['env', '{a', expect.stringContaining('This is not JSON')],
  ])('says what is wrong with %s %s', (name, text, problem) => {
    expect(argumentsOf(FIELDS, { [name]: text })).toEqual({ ok: false, problems: { [name]: problem } });
  });

  it('needs a choice where the parameter is required', () => {
    const fields = fieldsOf({ ...SCHEMA, required: ['mode'] });
    expect(argumentsOf(fields, {})).toEqual({ ok: false, problems: { mode: 'This value is required.' } });
  });
});

describe('a call to copy', () => {
  it('is quoted for a shell', () => {
    expect(commandLine('exec', { command: "echo 'a b'" })).toBe(
      String.raw`pincer call exec '{"command":"echo '\''a b'\''"}'`,
    );
    expect(shellQuoted('$(x) `y` "z"')).toBe(`'$(x) \`y\` "z"'`);
  });

  it('is a request of MCP', () => {
    expect(JSON.parse(mcpRequest('read', { path: 'a' }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read', arguments: { path: 'a' } },
    });
  });
});
