import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DOCUMENT, SCHEMA_FILE, schemaText, withTable } from '../../scripts/config-schema.mjs';
import { withDefaults } from '../../src/config/load/effective.ts';
import { VARIABLES } from '../../src/config/load/environment.ts';
import { execSettings } from '../../src/config/exec-settings.ts';
import { isSettingVariable } from '../../src/config/config-files.ts';
import { mcpSettings, serveSettings } from '../../src/config/server-settings.ts';
import { configFile, configSchema } from '../../src/config/schema/schema.ts';
import { SETTINGS } from '../../src/config/schema/settings.ts';
import type { Schema } from '../../src/wire/schema.ts';

describe('the schema', () => {
  it('is the file that the package publishes (node scripts/config-schema.mjs writes it)', () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText(configSchema()));
  });

  it('is the table in docs/config.md', () => {
    const document = readFileSync(DOCUMENT, 'utf8');
    expect(document).toBe(withTable(document, configSchema()));
  });

  it('says in the table what a number without a greatest value takes', () => {
    const rows = readFileSync(DOCUMENT, 'utf8').split('\n');
    const minOperands = rows.filter((row) => row.startsWith('| `tools.exec.profiles.NAME.minOperands`'));
    expect(minOperands).toEqual(['| `tools.exec.profiles.NAME.minOperands` | at least 0 |  |  |']);
  });

  it('describes every setting', () => {
    const silent = SETTINGS.filter(({ schema }) => schema.shape.description === undefined).map(({ path }) => path);
    expect(silent).toEqual([]);
  });

  it('names every $ref that it uses', () => {
    const schema = configSchema();
    const used = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/gu)].map(([, name = '']) => name);
    expect(Object.keys(schema['$defs'] as object).sort()).toEqual([...new Set(used)].sort());
  });

  it('has valid defaults', () => {
    const wrong: string[] = [];
    for (const { path, schema } of SETTINGS) {
      const fail = () => wrong.push(path);
      if (schema.shape.default !== undefined) schema.read(schema.shape.default, { at: [], wrong: fail, unknown: fail });
    }
    expect(wrong).toEqual([]);
  });

  it('has the effective defaults', () => {
    const all = withDefaults({}) as {
      tools: { exec: object };
      approvals: Record<'headless' | 'timeoutMs' | 'maxOpen' | 'maxNew', unknown>;
    };
    const settings = execSettings({ config: {}, sources: [], warnings: [] }, 'main', '/');
    const { host: _, ask: __, applyPatch: ___, ...told } = all.tools.exec as Record<string, unknown>;
    expect(settings).toMatchObject({
      ...told,
      headless: all.approvals.headless,
      approvalTimeoutMs: all.approvals.timeoutMs,
      questions: { maxOpen: all.approvals.maxOpen, maxNew: all.approvals.maxNew },
    });
    expect({ mcp: mcpSettings({ config: {} }), serve: serveSettings({ config: {} }) }).toEqual({
      mcp: { ...(all as unknown as { mcp: object }).mcp, preset: undefined },
      serve: (all as unknown as { serve: object }).serve,
    });
  });
});

describe('the variables', () => {
  it('are unique, one for each setting', () => {
    expect(VARIABLES.size).toBe(SETTINGS.length);
  });

  it('are recognised by their prefix; other variables of pincer are not', () => {
    expect([...VARIABLES.keys()].filter((name) => !isSettingVariable(name))).toEqual([]);
    const others = ['PINCER_STATE_DIR', 'PINCER_AGENT', 'PINCER_DAEMON_IDLE_MS', 'PINCER_TOKEN', 'PINCER_SESSION'];
    expect(others.filter(isSettingVariable)).toEqual([]);
    const { shape } = configFile as Schema<unknown>;
    const parts = shape.type === 'object' ? Object.keys(shape.members).filter((name) => name !== '$schema') : [];
    expect(parts.filter((name) => !isSettingVariable(`PINCER_${name.toUpperCase()}_X`))).toEqual([]);
  });
});
