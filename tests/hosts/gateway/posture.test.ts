/** What the posture says is what really happens to commands, for every combination of the settings that decide. */
import { describe, expect, it } from 'vitest';
import { execSettings } from '../../../src/config/exec-settings.ts';
import { combineLayers, applyRestrictions } from '../../../src/config/load/load.ts';
import type { ConfigFile, ExecConfig } from '../../../src/config/schema/schema.ts';
import { postureOf, valuesText } from '../../../src/hosts/gateway/posture/posture.ts';
import { prepare } from '../../../src/hosts/gateway/prepare.ts';
import { treatmentOf } from '../../../src/hosts/gateway/treatment.ts';
import { routeOf } from '../../../src/hosts/gateway/route.ts';
import type { PolicyInputs } from '../../../src/hosts/host.ts';
import { isSandboxed } from '../../../src/hosts/sandbox/owner.ts';
import type { ConversationOverride } from '../../../src/hosts/approvals/shape.ts';
import type { Security } from '../../../src/wire/policy.ts';
import type { Caller } from '../../../src/wire/exec.ts';
import { makeFolder } from '../../support/folder.ts';

interface Case {
  readonly config: ConfigFile;
  readonly environment?: ConfigFile;
  readonly restrictions?: ConfigFile;
  readonly conversation?: ConversationOverride;
  readonly approvals?: { readonly askFallback?: Security; readonly security?: Security; readonly broken?: string };
  readonly caller?: Caller;
}

const MAIN: Caller = { agent: 'main' };
const CHAT: Caller = { agent: 'main', conversation: 'chat' };

function saidIn({ config, environment, restrictions, conversation = {}, approvals = {} }: Case): PolicyInputs {
  const layers = [
    { layer: 'user', path: '/u', values: config, diagnostics: [] },
    ...(environment === undefined ? [] : [{ layer: 'environment', values: environment, diagnostics: [] } as const]),
  ] as const;
  const loaded = combineLayers(layers);
  const held = restrictions === undefined ? loaded : applyRestrictions(loaded, restrictions);
  const rules = { allowlist: [{ pattern: '/usr/bin/true' }], deny: [], ...approvals };
  return { settings: execSettings(held, 'main', '/home'), approvals: rules, conversation };
}

/** What becomes of a command, by all that an exec call goes through before it starts. */
async function happens(command: string, said: PolicyInputs, caller: Caller, folder: string): Promise<string> {
  const context = { caller, folder, environment: { HOME: folder, PATH: '/usr/bin:/bin' } };
  try {
    const request = { command };
    const route = routeOf(request, context, said);
    const judgement = route.isInside ? undefined : (await prepare({ request, context, inputs: said, route })).judgement;
    const treatment = treatmentOf({ settings: said.settings, effective: route.effective, judgement });
    if (treatment === 'run') return route.isInside ? 'sandbox' : 'machine';
    return treatment === 'ask' ? 'ask' : 'refused';
  } catch {
    return 'fails';
  }
}

/** The kind of a posture, from what became of a command that a rule allows and of one that none does. */
const KINDS: Readonly<Record<string, string>> = {
  'machine machine': 'open',
  'sandbox sandbox': 'sandboxed',
  'machine ask': 'judged',
  'machine refused': 'judged',
  'ask ask': 'judged',
  'refused refused': 'denied',
  'fails fails': 'failing',
};

async function lookAt(one: Case, folder: string) {
  const said = saidIn(one);
  const caller = one.caller ?? MAIN;
  const posture = postureOf(said, caller);
  const listed = await happens('/usr/bin/true', said, caller, folder);
  const unlisted = await happens('/usr/bin/id', said, caller, folder);
  return { said, caller, posture, listed, unlisted };
}

/** All that the sentence claims, held against what happened. */
function wrongClaims({
  said: { settings },
  caller,
  posture,
  listed,
  unlisted,
}: Awaited<ReturnType<typeof lookAt>>): readonly string[] {
  const { kind, commands, change, isJudged } = posture;
  const claims: readonly (readonly [string, boolean, boolean])[] = [
    ['the kind', kind === KINDS[`${listed} ${unlisted}`], true],
    ['not judged', commands.includes('not judged'), kind === 'open' || kind === 'sandboxed'],
    ['on this machine', commands.includes('on this machine'), listed === 'machine' || unlisted === 'ask'],
    ['run in a sandbox', commands.startsWith('commands run in a sandbox'), listed === 'sandbox'],
    ['ask a person', /asks? a person/u.test(commands), unlisted === 'ask'],
    ['every command', commands.startsWith('every command asks'), listed === 'ask'],
    ['others are refused', commands.includes('others are refused'), listed === 'machine' && unlisted === 'refused'],
    ['refused', commands.startsWith('commands are refused'), listed === 'refused'],
    ['fail', commands.startsWith('commands fail'), listed === 'fails'],
    ['a sandbox for file tools', posture.sandbox !== undefined, isSandboxed(settings.sandbox, caller)],
    ['a change', change !== undefined, kind === 'open'],
    ['security', valuesText(posture).includes('security='), isJudged],
  ];
  return claims.flatMap(([what, said, is]) => (said === is ? [] : [`${what}: ${commands} (${listed}, ${unlisted})`]));
}

/** Which layer says `host`, `security` and `ask`. */
const PLACES: readonly ((exec: ExecConfig) => Pick<Case, 'config' | 'environment' | 'restrictions'>)[] = [
  (exec) => ({ config: { tools: { exec } } }),
  (exec) => ({ config: { tools: { exec: { host: 'gateway' } }, agents: { list: [{ id: 'main', tools: { exec } }] } } }),
  (exec) => ({ config: {}, environment: { tools: { exec } } }),
  (exec) => ({ config: {}, restrictions: { tools: { exec } } }),
];

function* combinations(): Generator<Case> {
  let count = 0;
  for (const host of [undefined, 'gateway', 'node'] as const)
    for (const mode of ['off', 'non-main', 'all'] as const)
      for (const security of [undefined, 'deny', 'allowlist', 'full'] as const)
        for (const ask of [undefined, 'off', 'always'] as const)
          for (const level of [undefined, 'ask', 'full'] as const)
            for (const headless of [false, true])
              for (const askFallback of headless
                ? (['deny', 'allowlist', 'full'] as const)
                : (['deny', 'full'] as const)) {
                const exec = {
                  ...(host === undefined ? {} : { host }),
                  ...(security === undefined ? {} : { security }),
                  ...(ask === undefined ? {} : { ask }),
                };
                // Each combination in one of the places, so that every pair of values meets every place.
                const { config, ...others } = PLACES[(count + Math.floor(count / 7)) % PLACES.length]!(exec);
                count++;
                const elevated = level === undefined ? {} : { elevated: { enabled: true, allowFrom: { x: ['main'] } } };
                yield {
                  ...others,
                  config: {
                    ...config,
                    tools: { ...config.tools, ...elevated },
                    sandbox: { mode },
                    approvals: { headless },
                    agents: {
                      ...config.agents,
                      ...(level === undefined ? {} : { defaults: { elevatedDefault: level } }),
                    },
                  },
                  approvals: { askFallback },
                  caller: mode === 'non-main' ? CHAT : MAIN,
                };
              }
}

const GATEWAY: ConfigFile = { tools: { exec: { host: 'gateway' } } };
const OPEN: ConfigFile = { tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } };
const BOXED: ConfigFile = { sandbox: { mode: 'all' } };
const own = (exec: object, more: object = {}): ConfigFile => ({
  agents: { list: [{ id: 'main', tools: { exec }, ...more }] },
});

/** Layers that the combinations do not have. */
const LAYERS: readonly Case[] = [
  { config: OPEN, restrictions: { tools: { exec: { security: 'deny' } } } },
  { config: OPEN, restrictions: { tools: { exec: { security: 'allowlist' } } } },
  { config: OPEN, restrictions: { tools: { exec: { ask: 'always' } } } },
  { config: OPEN, restrictions: { tools: { deny: ['exec'] } } },
  { config: {}, restrictions: { tools: { exec: { host: 'gateway' } } } },
  { config: GATEWAY, restrictions: { tools: { exec: { security: 'full' } } } },
  { config: {}, restrictions: BOXED },
  { config: GATEWAY, environment: { tools: { exec: { security: 'full' } } } },
  { config: GATEWAY, environment: { approvals: { headless: true } } },
  { config: { ...BOXED, ...own({ host: 'gateway', security: 'full' }) } },
  { config: { ...BOXED, ...own({}, { sandbox: { mode: 'off' } }) } },
  { config: own({ host: 'gateway', security: 'full', ask: 'off' }, { sandbox: { mode: 'all' } }) },
  { config: { ...GATEWAY, ...own({ host: 'sandbox' }) } },
  { config: OPEN, conversation: { security: 'deny' }, caller: CHAT },
  { config: {}, conversation: { host: 'gateway' }, caller: CHAT },
  { config: GATEWAY, conversation: { host: 'sandbox' }, caller: CHAT },
  { config: GATEWAY, conversation: { security: 'full' }, caller: CHAT },
  { config: { ...BOXED, tools: { elevated: { enabled: true } } }, conversation: { elevated: 'full' } },
  {
    config: { ...BOXED, tools: { elevated: { enabled: true, allowFrom: { x: ['chat'] } } } },
    conversation: { elevated: 'full' },
    caller: CHAT,
  },
  { config: OPEN, approvals: { broken: 'it is no JSON' } },
  { config: {}, approvals: { broken: 'it is no JSON' } },
  { config: OPEN, approvals: { security: 'allowlist' } },
  { config: { tools: { deny: ['exec'] } } },
  { config: { tools: { allow: ['read'], exec: { host: 'gateway' } } } },
  { config: { tools: { exec: { host: 'node', node: 'mac-1' } } } },
  { config: { ...BOXED, tools: { exec: { host: 'node' } } } },
];

describe('the posture of commands', () => {
  it('is what happens to them, for every combination of settings', async () => {
    const folder = makeFolder();
    const wrong: string[] = [];
    const kinds = new Set<string>();
    for (const one of combinations()) {
      const look = await lookAt(one, folder);
      kinds.add(`${look.listed} ${look.unlisted}`);
      wrong.push(...wrongClaims(look));
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect([...kinds].toSorted()).toEqual(Object.keys(KINDS).toSorted());
  });

  it.each(LAYERS.map((one) => [JSON.stringify(one), one] as const))(
    'is what happens in the layers %s',
    async (_, one) => {
      expect(wrongClaims(await lookAt(one, makeFolder()))).toEqual([]);
    },
  );
});

describe('the command that changes it', () => {
  it('names the setting that decided, and another one decides afterwards or none', () => {
    const cases = [...combinations(), ...LAYERS];
    const left: string[] = [];
    for (const one of cases) {
      const { change } = postureOf(saidIn(one), one.caller ?? MAIN);
      if (change === undefined) continue;
      const after = postureOf(saidIn(changed(one, change)), one.caller ?? MAIN);
      if (after.change === change) left.push(`${change}: ${JSON.stringify(one)}`);
    }
    expect(left.slice(0, 5)).toEqual([]);
  });

  it.each<[string, Case]>([
    ['pincer init --posture judged --yes', { config: {} }],
    [
      "pincer config set 'agents.list[0].tools.exec.host' gateway",
      { config: { ...GATEWAY, ...own({ host: 'sandbox' }) } },
    ],
    [
      "pincer config set 'agents.list[0].tools.exec.security' allowlist",
      { config: own({ host: 'gateway', security: 'full' }) },
    ],
    ['pincer config set tools.exec.security allowlist', { config: OPEN }],
    [
      'set PINCER_TOOLS_EXEC_SECURITY=allowlist where the daemon is started, and restart it',
      { config: GATEWAY, environment: { tools: { exec: { security: 'full' } } } },
    ],
    [
      "pincer say --conversation chat '/exec host=gateway'",
      { config: GATEWAY, conversation: { host: 'sandbox' }, caller: CHAT },
    ],
    [
      "pincer say --conversation 'it'\\''s' '/exec security=allowlist'",
      { config: GATEWAY, conversation: { security: 'full' }, caller: { agent: 'main', conversation: "it's" } },
    ],
    [
      'pincer config set agents.defaults.elevatedDefault ask',
      {
        config: {
          ...BOXED,
          tools: { elevated: { enabled: true, allowFrom: { x: ['*'] } } },
          agents: { defaults: { elevatedDefault: 'full' } },
        },
      },
    ],
    [
      'pincer config set approvals.headless false',
      { config: { ...GATEWAY, approvals: { headless: true } }, approvals: { askFallback: 'full' } },
    ],
  ])('is %s', (change, one) => {
    expect(postureOf(saidIn(one), one.caller ?? MAIN).change).toBe(change);
  });
});

/** The case after the command line. */
function changed(one: Case, change: string): Case {
  if (change.startsWith('pincer init --posture judged '))
    return { ...one, config: configured(one.config, 'tools.exec.host', 'gateway') };
  const [, path, value] = /^pincer config set '?([^' ]+)'? (\S+)$/u.exec(change) ?? [];
  if (path !== undefined && value !== undefined) return { ...one, config: configured(one.config, path, value) };
  const [, variable, worth] = /^set PINCER_TOOLS_EXEC_(\w+)=(\S+)/u.exec(change) ?? [];
  if (variable !== undefined) return { ...one, environment: { tools: { exec: { [variable.toLowerCase()]: worth } } } };
  const [, key, told] = /'\/exec (\w+)(?:=(\w+))?'$/u.exec(change) ?? [];
  if (key === undefined) throw new Error(change);
  return { ...one, conversation: key === 'reset' ? {} : { ...one.conversation, [key]: told } };
}

function configured(config: ConfigFile, path: string, value: string): ConfigFile {
  const copy = structuredClone(config) as Record<string, unknown>;
  const steps = path.split(/[.[\]]+/u);
  let at = copy;
  for (const step of steps.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
  at[steps.at(-1) ?? ''] = value === 'false' ? false : value;
  return copy;
}
