import { describe, expect, it } from 'vitest';
import { parseSettingPath } from '../../src/config/schema/setting-path.ts';
import { canonicalSteps, findSetting } from '../../src/config/schema/settings.ts';
import { parseSettingValue, type ValueFormat } from '../../src/config/load/setting-value.ts';

const find = (typed: string) => findSetting(parseSettingPath(typed));

describe('a setting', () => {
  /** Every name that the specification speaks of. */
  const SPECIFIED = [
    'tools.exec.notifyOnExit',
    'tools.exec.approvalRunningNoticeMs',
    'tools.exec.host',
    'tools.exec.security',
    'tools.exec.ask',
    'tools.exec.node',
    'tools.exec.pathPrepend',
    'tools.exec.safeBins',
    'tools.exec.applyPatch',
    'tools.exec.applyPatch.enabled',
    'tools.exec.applyPatch.allowModels',
    'tools.deny',
    'tools.allow',
    'exec.node',
    'agents.list',
    'agents.list[0].tools.exec.node',
    'agents.list[0].tools.deny',
    'commands.useAccessGroups',
  ];
  it.each(SPECIFIED)('%s is known', (typed) => {
    expect(find(typed).schema).toHaveProperty('shape');
  });

  const MEANT = [
    ['tools.exec.secuirty', 'unknown setting tools.exec.secuirty; did you mean tools.exec.security'],
    ['exec.hots', 'unknown setting exec.hots; did you mean tools.exec.host'],
    ['tool.exec', 'unknown setting tool.exec; did you mean tools'],
    ['timeoutSec', 'unknown setting timeoutSec; did you mean tools.exec.timeoutSec'],
    ['agents.list[0].tool', 'unknown setting agents.list[0].tool; did you mean agents.list[0].tools'],
    ['tools.exec.host.name', 'unknown setting tools.exec.host.name'],
    ['tools.exec[0]', 'unknown setting tools.exec[0]'],
    ['agents.list.main', 'unknown setting agents.list.main'],
    ['__proto__.x', 'unknown setting __proto__.x'],
    ['constructor', 'unknown setting constructor'],
    ['plugins.entries["__proto__"].enabled', 'unknown setting plugins.entries.__proto__.enabled'],
    [
      'tools.exec.safeBinProfiles.__proto__.maxPositional',
      'unknown setting tools.exec.safeBinProfiles.__proto__.maxPositional',
    ],
    [
      'agents.list[0].tools.exec.safeBinProfiles.__proto__',
      'unknown setting agents.list[0].tools.exec.safeBinProfiles.__proto__',
    ],
  ] as const;
  it.each(MEANT)('%s is unknown', (typed, message) => {
    expect(() => find(typed)).toThrow(expect.objectContaining({ code: 'CONFIG_UNKNOWN_KEY', message }));
  });

  it('may have indexes as names', () => {
    expect(canonicalSteps(parseSettingPath('agents.list.0.tools.exec.node'))).toEqual(
      parseSettingPath('agents.list[0].tools.exec.node'),
    );
  });

  const VALUES: readonly (readonly [string, string, ValueFormat, unknown])[] = [
    ['tools.exec.host', 'gateway', 'either', 'gateway'],
    ['tools.exec.host', '"gateway"', 'either', 'gateway'],
    ['tools.exec.host', "'gateway'", 'json', 'gateway'],
    ['tools.exec.node', '12', 'either', '12'],
    ['tools.exec.node', 'true', 'either', 'true'],
    ['tools.exec.node', '"12"', 'text', '"12"'],
    ['tools.exec.node', '', 'either', ''],
    ['tools.exec.timeoutSec', '5', 'either', 5],
    ['tools.exec.timeoutSec', '0x10', 'either', 16],
    ['tools.exec.notifyOnExit', 'false', 'either', false],
    ['tools.deny', 'exec', 'either', ['exec']],
    ['tools.deny', 'exec, read', 'either', ['exec', 'read']],
    ['tools.deny', '["exec"]', 'either', ['exec']],
    ['tools.deny', '[]', 'either', []],
    ['tools.exec', '{host: "node",}', 'either', { host: 'node' }],
    ['agents.list[+]', '{id: "a"}', 'either', { id: 'a' }],
  ];
  it.each(VALUES)('%s accepts %j (%s)', async (typed, text, reading, value) => {
    const { schema } = find(typed);
    expect(await parseSettingValue(schema, typed, text, reading)).toEqual(value);
  });

  const UNFIT: readonly (readonly [string, string, ValueFormat, string])[] = [
    ['tools.exec.host', 'gatway', 'either', 'tools.exec.host must be one of sandbox, gateway, node, not "gatway"'],
    ['tools.exec.timeoutSec', '-1', 'either', 'tools.exec.timeoutSec must be an integer from 0 to 31536000, not -1'],
    [
      'tools.exec.timeoutSec',
      'Infinity',
      'either',
      'tools.exec.timeoutSec must be an integer from 0 to 31536000, not Infinity',
    ],
    ['tools.exec.timeoutSec', '5', 'text', 'tools.exec.timeoutSec must be an integer from 0 to 31536000, not "5"'],
    ['tools.exec.notifyOnExit', 'yes', 'either', 'tools.exec.notifyOnExit must be true or false, not "yes"'],
    ['tools.exec.node', 'bare', 'json', 'the value of tools.exec.node is not valid JSON: "bare"'],
    ['tools.exec', '{hots: 1}', 'either', expect.stringContaining('unknown setting tools.exec.hots')],
    ['plugins.entries', '{"__proto__": {"enabled": false}}', 'either', expect.stringContaining('is a forbidden name')],
  ];
  it.each(UNFIT)('%s refuses %j (%s)', async (typed, text, reading, message) => {
    const { schema } = find(typed);
    await expect(parseSettingValue(schema, typed, text, reading)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message,
    });
  });
});
