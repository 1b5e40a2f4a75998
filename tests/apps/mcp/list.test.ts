import { describe, expect, it } from 'vitest';
import { connect, ERAS, ground } from './serving.ts';

const PATCHES = { tools: { exec: { applyPatch: { enabled: true } } } };

async function listed(config: object, options: Parameters<typeof connect>[1]) {
  const { client } = await connect(ground(config), options);
  return (await client.listTools()).tools;
}

describe('the list of tools', () => {
  it('is the same for both eras and at every asking', async () => {
    const [legacy, modern, again] = await Promise.all(
      (['legacy', 'modern', 'modern'] as const).map((era) => listed({}, { era })),
    );
    expect(modern).toEqual(legacy);
    expect(again).toEqual(modern);
    expect(legacy!.map(({ name }) => name)).toEqual(['read', 'write', 'edit', 'exec', 'process', 'path']);
  });

  it('annotates the effects of each tool', async () => {
    const tools = await listed({}, { args: ['--allow-undo'] });
    const hints = tools.map(({ name, annotations: a }) => [
      name,
      a?.readOnlyHint,
      a?.destructiveHint,
      a?.idempotentHint,
      a?.openWorldHint,
    ]);
    expect(hints).toEqual([
      ['read', true, false, true, false],
      ['write', false, true, true, false],
      ['edit', false, true, false, false],
      ['exec', false, true, false, true],
      ['process', false, true, false, true],
      ['path', false, true, false, false],
      ['changes', false, true, false, false],
    ]);
    for (const { title, description, inputSchema, outputSchema } of tools) {
      expect([title, description, outputSchema]).toEqual([expect.any(String), expect.any(String), undefined]);
      expect(typeArrays(inputSchema)).toEqual([]);
    }
  });

  it.each([
    ['switched on, and the client is Codex', PATCHES, { name: 'codex-mcp-client' }, true],
    ['switched on, and the model is said to be of OpenAI', PATCHES, { args: ['--model', 'gpt-5.2'] }, true],
    ['switched on, and the model said is another', PATCHES, { name: 'codex', args: ['--model', 'claude-opus'] }, false],
    ['switched on for others', PATCHES, { name: 'claude-code' }, false],
    ['not switched on', {}, { name: 'codex-mcp-client' }, false],
    [
      'for a model that is on the list',
      { tools: { exec: { applyPatch: { enabled: true, allowModels: ['gpt-5.2'] } } } },
      { args: ['--model', 'openai/gpt-5.2'] },
      true,
    ],
    [
      'for a model that is not on the list',
      { tools: { exec: { applyPatch: { enabled: true, allowModels: ['gpt-5.2'] } } } },
      { args: ['--model', 'gpt-4'] },
      false,
    ],
  ])('has apply_patch as configured: %s', async (_, config, options, expected) => {
    const names = (await listed(config, options)).map(({ name }) => name);
    expect(names.includes('apply_patch')).toBe(expected);
  });

  it('contains only reading tools with --read-only, and no other can be called', async () => {
    const at = ground({}, { 'a.json': '{"a": 1}' });
    const { client, call } = await connect(at, { args: ['--read-only'] });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['read', true],
      ['path', true],
    ]);
    expect(tools[1]!.inputSchema.properties).toMatchObject({ verb: { enum: ['resolve', 'find', 'ls', 'validate'] } });
    expect(await call('path', { verb: 'resolve', path: 'oc://a.json/a' })).not.toHaveProperty('isError');
    for (const [tool, args] of [
      ['path', { verb: 'set', path: 'oc://a.json/a', value: '2' }],
      ['write', { path: 'b.txt', content: '' }],
      ['exec', { command: 'true' }],
      ['process', { action: 'list' }],
    ] as const)
      expect(await call(tool, args)).toMatchObject({ isError: true, structuredContent: { code: 'TOOL_NOT_OFFERED' } });
  });

  it.each([
    ['claude', 'edit', ['file_path', 'old_string', 'new_string']],
    ['codex', 'exec', ['cmd', 'yield_time_ms']],
    ['openclaw', 'edit', ['path', 'oldText', 'newText']],
    ['minimal', 'read', ['path']],
  ])('has the names that the family of --preset %s knows, which can be called', async (preset, tool, names) => {
    const at = ground({ tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } }, { 'a.txt': 'one\n' });
    const { client, call } = await connect(at, { args: ['--preset', preset] });
    const { tools } = await client.listTools();
    expect(Object.keys(tools.find(({ name }) => name === tool)!.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining(names),
    );
    const values: Record<string, unknown> = {
      file_path: 'a.txt',
      path: 'a.txt',
      old_string: 'one',
      oldText: 'one',
      new_string: 'two',
      newText: 'two',
      cmd: 'true',
      yield_time_ms: 5_000,
    };
    expect(await call(tool, Object.fromEntries(names.map((name) => [name, values[name]])))).not.toHaveProperty(
      'isError',
    );
  });

  it('takes its preset from the configuration, unless the command line sets another', async () => {
    const config = { mcp: { preset: 'claude' } };
    const names = async (args: readonly string[]) =>
      Object.keys((await listed(config, { args })).find(({ name }) => name === 'read')!.inputSchema.properties ?? {});
    expect([(await names([]))[0], (await names(['--preset', 'openclaw']))[0]]).toEqual(['file_path', 'path']);
  });

  it.each(ERAS)('comes with instructions in the %s era', async (era) => {
    const at = ground();
    const { client } = await connect(at, { era });
    expect(client.getInstructions()).toContain(at.workspace);
  });
});

/** Places in a schema where a type is a list, which some providers refuse. */
function typeArrays(schema: unknown): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const here = 'type' in schema && Array.isArray(schema.type) ? [schema] : [];
  return [...here, ...Object.values(schema).flatMap(typeArrays)];
}
