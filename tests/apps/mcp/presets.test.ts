import { describe, expect, test } from 'vitest';
import type { ToolInfo } from '../../../src/apps/assemble.ts';
import { CATALOGUE } from '../../../src/apps/catalogue.ts';
import { fromPreset } from '../../../src/apps/mcp/presets/accept.ts';
import { FOREIGN, PRESETS, type PresetName, SPELLINGS } from '../../../src/apps/mcp/presets/names.ts';
import { presentTool } from '../../../src/apps/mcp/presets/present.ts';
import { Fault } from '../../../src/base/fault.ts';
import { readParams } from '../../../src/tools/params.ts';
import { inputSchema as inputSchemaOf, type PropertySchema, type Tool } from '../../../src/tools/tool.ts';
import { fc, runs } from '../../support/property.ts';

const tools = new Map<string, Tool>();
for (const entry of CATALOGUE) tools.set(entry.name, await entry.load());

function toolNamed(name: string): Tool {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

function infoOf(name: string): ToolInfo {
  const tool = toolNamed(name);
  const { alsoCalled = [], description, aliases = [], effects } = tool;
  const others = aliases.map(({ keys: [canonical, ...rest] }) => [canonical, rest] as const);
  return {
    name,
    alsoCalled,
    description,
    inputSchema: inputSchemaOf(tool),
    aliases: Object.fromEntries(others),
    effects,
  };
}

/** What the tool itself gets of a call in the names of a preset. */
function received(name: string, args: Readonly<Record<string, unknown>>, preset: PresetName | undefined) {
  const tool = toolNamed(name);
  const taken = fromPreset(name, args, preset);
  return readParams(name, tool.input, tool.aliases ?? [], tool.prepare?.(taken) ?? taken);
}

describe('a preset', () => {
  test.each<[PresetName, string, readonly string[]]>([
    ['claude', 'read', ['file_path', 'offset', 'limit', 'cursor', 'encoding', 'pages', 'optional', 'line_numbers']],
    ['claude', 'write', ['file_path', 'content', 'encoding', 'dry_run', 'expect_hash']],
    ['claude', 'edit', ['file_path', 'old_string', 'new_string', 'replace_all', 'edits', 'dry_run', 'expect_hash']],
    ['codex', 'apply_patch', ['input', 'dry_run', 'overwrite']],
    ['openclaw', 'edit', ['path', 'oldText', 'newText', 'edits']],
    ['openclaw', 'write', ['path', 'content']],
    ['minimal', 'read', ['path', 'offset', 'limit']],
    ['minimal', 'exec', ['command', 'workdir', 'background', 'timeout']],
    ['minimal', 'path', ['verb', 'path', 'value']],
  ])('%s lists the parameters of %s under its own names', (preset, tool, names) => {
    expect(Object.keys(presentTool(infoOf(tool), preset).inputSchema.properties)).toEqual(names);
  });

  test.each<[PresetName, string, readonly string[]]>([
    ['claude', 'exec', ['command', 'yield_ms', 'run_in_background', 'timeout']],
    ['codex', 'exec', ['cmd', 'workdir', 'yield_time_ms', 'tty']],
    ['codex', 'process', ['action', 'session_id', 'chars', 'yield_time_ms']],
    ['openclaw', 'exec', ['command', 'workdir', 'yieldMs', 'background', 'pty', 'host', 'security', 'ask', 'elevated']],
  ])('%s lists, among others, these of %s', (preset, tool, names) => {
    expect(Object.keys(presentTool(infoOf(tool), preset).inputSchema.properties)).toEqual(
      expect.arrayContaining([...names]),
    );
  });

  test('without a name lists the tool unchanged', () => {
    expect(presentTool(infoOf('edit'), undefined)).toEqual(infoOf('edit'));
  });

  test('renames nested properties and names in descriptions', () => {
    const { description, inputSchema } = presentTool(infoOf('edit'), 'claude');
    const { edits, old_string: old } = inputSchema.properties as Record<string, PropertySchema>;
    expect({
      names: Object.keys(edits?.items?.properties ?? {}),
      required: edits?.items?.required,
      old: old?.description,
      description: description.slice(0, 95),
    }).toEqual({
      names: ['old_string', 'new_string', 'replace_all'],
      required: ['old_string', 'new_string'],
      old: 'Text that occurs exactly once, unless replace_all is set.',
      description: 'Replace text in a file. old_string must occur exactly once (or set replace_all); all other byte',
    });
  });

  test('names a unit of its own', () => {
    expect(presentTool(infoOf('exec'), 'claude').inputSchema.properties['timeout']?.description).toMatch(
      /^Milliseconds/u,
    );
  });

  test('keeps words of the language that are also names of parameters', () => {
    expect(presentTool(infoOf('exec'), 'codex').description).toMatch(/^Run a shell command in the workspace/u);
  });

  test.each(PRESETS)('%s speaks only of tools and parameters that there are', (preset) => {
    for (const [name, { shown = [], names = {}, schemas = {} }] of Object.entries(SPELLINGS[preset])) {
      const known = Object.keys(inputSchemaOf(toolNamed(name)).properties);
      expect(known).toEqual(expect.arrayContaining([...shown, ...Object.keys(names), ...Object.keys(schemas)]));
      const { inputSchema, description } = presentTool(infoOf(name), preset);
      expect(Object.keys(inputSchema.properties)).toEqual(expect.arrayContaining([...inputSchema.required]));
      // A description that names what is not listed would send a model looking for it.
      const gone = known.filter((own) => /[A-Z]/u.test(own) && !Object.hasOwn(inputSchema.properties, own));
      for (const own of gone) expect(description).not.toMatch(new RegExp(`\\b${own}\\b`, 'u'));
    }
  });
});

describe('what a model sends in the names of its family reaches the tool', () => {
  test.each<[PresetName | undefined, string, object, object]>([
    ['claude', 'read', { file_path: 'a', offset: 2, line_numbers: true }, { path: 'a', offset: 2, lineNumbers: true }],
    ['claude', 'write', { file_path: 'a', content: '' }, { path: 'a', content: '' }],
    [
      'claude',
      'edit',
      { file_path: 'a', old_string: 'x', new_string: '', replace_all: true },
      { path: 'a', oldText: 'x', newText: '', replaceAll: true },
    ],
    [
      'claude',
      'edit',
      { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y', replace_all: true }] },
      { path: 'a', edits: [{ oldText: 'x', newText: 'y', replaceAll: true }] },
    ],
    [
      'claude',
      'exec',
      { command: 'ls', timeout: 120_000, description: 'Lists', run_in_background: true },
      { command: 'ls', timeout: 120, background: true },
    ],
    ['claude', 'exec', { command: 'ls', timeoutSeconds: 5 }, { command: 'ls', timeout: 5 }],
    ['claude', 'process', { action: 'poll', bash_id: 'calm-reef' }, { action: 'poll', sessionId: 'calm-reef' }],
    [
      'codex',
      'exec',
      {
        cmd: 'ls',
        workdir: 'src',
        yield_time_ms: 500,
        max_output_tokens: 9,
        tty: true,
        login: true,
        justification: 'because',
        sandbox_permissions: 'require_escalated',
        prefix_rule: ['ls'],
      },
      { command: 'ls', workdir: 'src', yieldMs: 500, pty: true },
    ],
    [
      'codex',
      'process',
      { action: 'write', session_id: 's', chars: 'y\n' },
      { action: 'write', sessionId: 's', data: 'y\n' },
    ],
    [
      'codex',
      'process',
      { action: 'poll', session_id: 's', yield_time_ms: 250 },
      { action: 'poll', sessionId: 's', timeout: 250 },
    ],
    ['codex', 'exec', { cmd: 'ls', timeout: 5 }, { command: 'ls', timeout: 5 }],
    [undefined, 'exec', { cmd: 'ls', timeout_ms: 1500, tty: false }, { command: 'ls', timeout: 1.5, pty: false }],
    [
      'minimal',
      'exec',
      { command: 'ls', yieldMs: 10, host: 'gateway' },
      { command: 'ls', yieldMs: 10, host: 'gateway' },
    ],
    ['openclaw', 'edit', { file: 'a', old_text: 'x', newText: 'y' }, { path: 'a', oldText: 'x', newText: 'y' }],
  ])('%s: %s %o', (preset, tool, sent, canonical) => {
    expect(received(tool, sent as Record<string, unknown>, preset)).toEqual(canonical);
  });

  test('and two names of one parameter that differ are refused', () => {
    const call = () => fromPreset('exec', { command: 'ls', background: false, run_in_background: true }, 'claude');
    expect(call).toThrow(
      new Fault(
        'PARAM_CONFLICT',
        'exec: background and run_in_background are the same parameter with different values',
        {
          hint: 'give background only',
          details: { parameter: 'background' },
        },
      ),
    );
  });

  test('and an unknown name is still refused by the tool', () => {
    expect(() => received('exec', { command: 'ls', shell: '/bin/zsh' }, 'codex')).toThrow(
      'exec has no parameter "shell"',
    );
  });

  test('and what is no own member is not taken for one', () => {
    const args = JSON.parse('{"command":"ls","__proto__":{"run_in_background":true}}') as Record<string, unknown>;
    expect(fromPreset('exec', args, 'claude')).toBe(args);
  });
});

describe('a call in listed names and the same call in canonical names', () => {
  /** Values that fit a parameter. */
  function valueOf(property: PropertySchema): fc.Arbitrary<unknown> {
    if (property.enum !== undefined) return fc.constantFrom(...property.enum);
    switch (property.type) {
      case 'string':
        return fc.string({ minLength: 1 });
      case 'boolean':
        return fc.boolean();
      case 'object':
        return fc.dictionary(fc.constantFrom('A', 'B_C'), fc.string());
      case 'array':
        return fc.array(property.items === undefined ? fc.string() : valueOf(property.items), { minLength: 1 });
      default:
        return fc.integer({ min: property.minimum ?? 0, max: 1_000_000 });
    }
  }

  /** Some of a tool's parameters, the required ones always; edits have their own test above. */
  function argsOf(tool: Tool): fc.Arbitrary<Record<string, unknown>> {
    const members = Object.entries(inputSchemaOf(tool).properties).filter(([name]) => name !== 'edits');
    return fc.record(Object.fromEntries(members.map(([name, property]) => [name, valueOf(property)])), {
      requiredKeys: [...inputSchemaOf(tool).required],
      noNullPrototype: true,
    });
  }

  const cases = PRESETS.flatMap((preset) => [...tools.keys()].map((tool) => [preset, tool] as const));

  test.each(cases)('give the tool the same: %s, %s', (preset, name) => {
    const tool = toolNamed(name);
    const { names = {} } = SPELLINGS[preset][name] ?? {};
    const milliseconds = preset === 'claude' && name === 'exec';
    fc.assert(
      fc.property(argsOf(tool), (args) => {
        const listed = Object.fromEntries(
          Object.entries(args).map(([key, value]) => [
            names[key] ?? key,
            milliseconds && key === 'timeout' ? (value as number) * 1000 : value,
          ]),
        );
        expect(received(name, listed, preset)).toEqual(args);
      }),
      { numRuns: runs(50) },
    );
  });

  test.each(cases)('are the same call where canonical names are sent: %s, %s', (preset, name) => {
    fc.assert(
      fc.property(argsOf(toolNamed(name)), ({ ...args }) => {
        // The one name that a preset gives another unit: it means what was listed.
        if (preset === 'claude' && name === 'exec') delete args['timeout'];
        expect(fromPreset(name, args, preset)).toEqual(args);
      }),
      { numRuns: runs(50) },
    );
  });

  test('map every foreign name to a parameter of its tool', () => {
    for (const [name, entries] of Object.entries(FOREIGN)) {
      const own = Object.keys(inputSchemaOf(toolNamed(name)).properties);
      for (const { name: foreign, means } of entries) {
        expect(own).not.toContain(foreign);
        if (means !== undefined) expect(own).toContain(means);
      }
    }
  });
});
