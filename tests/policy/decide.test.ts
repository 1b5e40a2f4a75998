import { describe, expect, it } from 'vitest';
import { allowedWithoutAnswer, decide } from '../../src/policy/decide.ts';
import { effectivePolicy, type PolicyLayers } from '../../src/policy/effective.ts';
import { withTerminal } from '../../src/policy/terminal.ts';
import { judge } from '../../src/policy/judge.ts';
import type { Ask, Judgement, Security } from '../../src/wire/policy.ts';
import { fc } from '../support/property.ts';
import { ask, machine, rules } from './machine.ts';

const SECURITIES: readonly Security[] = ['deny', 'allowlist', 'full'];
const ASKS: readonly Ask[] = ['always', 'on-miss', 'off'];
const hit = ask('ls', ['ls']);
const miss = ask('id', ['ls']);
const unreadable = ask('ls; id', ['ls']);
const deny = [{ pattern: '/usr/bin/rm' }];
const forbidden = judge('ls; rm x', rules({ deny }), machine(), '/');
const unknown = judge('ls; $x', rules({ deny }), machine(), '/');

describe('a decision', () => {
  it.each<[string, Judgement, Readonly<Record<Security, readonly string[]>>]>([
    [
      'what is allowed',
      hit,
      { deny: ['deny', 'deny', 'deny'], allowlist: ['ask', 'allow', 'allow'], full: ['ask', 'allow', 'allow'] },
    ],
    [
      'a miss',
      miss,
      { deny: ['deny', 'deny', 'deny'], allowlist: ['ask', 'ask', 'deny'], full: ['ask', 'allow', 'allow'] },
    ],
    [
      'what cannot be analysed',
      unreadable,
      { deny: ['deny', 'deny', 'deny'], allowlist: ['ask', 'ask', 'deny'], full: ['ask', 'allow', 'allow'] },
    ],
    [
      'what a deny rule forbids',
      forbidden,
      { deny: ['deny', 'deny', 'deny'], allowlist: ['deny', 'deny', 'deny'], full: ['deny', 'deny', 'deny'] },
    ],
    [
      'what deny rules cannot tell',
      unknown,
      { deny: ['deny', 'deny', 'deny'], allowlist: ['ask', 'ask', 'deny'], full: ['deny', 'deny', 'deny'] },
    ],
  ])('about %s follows security and ask', (_, judgement, expected) => {
    const table = Object.fromEntries(
      SECURITIES.map((security) => [security, ASKS.map((ask) => decide({ security, ask }, judgement).verdict)]),
    );
    expect(table).toEqual(expected);
  });

  it('is a no where nothing was judged, unless security is full', () => {
    expect([
      decide({ security: 'allowlist', ask: 'on-miss' }, undefined).verdict,
      decide({ security: 'full', ask: 'off' }, undefined).verdict,
    ]).toEqual(['deny', 'allow']);
  });

  it('without an answer follows askFallback, never for code that only a person may allow', () => {
    const inline = ask('python3 -c 1', ['python3']);
    const shell = ask('sh -c id', ['sh']);
    const table = SECURITIES.map((fallback) =>
      [hit, miss, unreadable, forbidden, unknown, inline, shell].map((one) => allowedWithoutAnswer(fallback, one)),
    );
    expect(table).toEqual([
      [false, false, false, false, false, false, false],
      [true, false, false, false, false, false, false],
      [true, true, false, false, false, false, false],
    ]);
  });

  it('never takes a question about a flag that names a program for answered, also of a safe bin', () => {
    const judgement = judge('sort --compress-program=sh', rules({ safeBins: ['sort'] }), machine(), '/');
    expect([judgement.code, allowedWithoutAnswer('full', judgement)]).toEqual(['safe-bin-arguments', false]);
  });

  it.each([
    'python3 -c 1',
    'python3 -c 1; true',
    'sh -c id',
    'ls | sh',
    'ls && sh -c id',
    'echo $(python3 -c 1)',
    "env -S 'sh -c id'",
    'env env env env env sh -c id',
    '/opt/nice sh -c id',
    'nice sh -c id',
    'env -i sh -c id',
    'xargs sh -c id',
    'sudo sh -c id',
    'busybox sh -c id',
    'find . -exec sh -c id',
    'tar xf a --to-command=sh',
    'missing',
    'nice missing',
    'env eval id',
  ])('never takes a question about %s for answered', (command) => {
    const full = { security: 'full', ask: 'always' } as const;
    const allowed = [true, false].flatMap((strictInlineEval) => {
      const judgement = judge(command, rules({ strictInlineEval }), machine(), '/');
      return [judgement, decide(full, judgement)].map((one) => allowedWithoutAnswer('full', one));
    });
    expect(allowed).toEqual([false, false, false, false]);
  });
});

describe('the policy in force', () => {
  const layers = (parts: Partial<PolicyLayers> = {}): PolicyLayers => ({
    config: {},
    conversation: {},
    call: {},
    approvals: {},
    ...parts,
  });

  it.each<[string, Partial<PolicyLayers>, unknown]>([
    [
      'defaults',
      {},
      {
        host: 'sandbox',
        security: 'deny',
        ask: 'on-miss',
        askFallback: 'deny',
        from: { host: 'default', security: 'default', ask: 'default', askFallback: 'default' },
      },
    ],
    [
      'the default of the gateway',
      { config: { host: 'gateway' } },
      {
        host: 'gateway',
        security: 'allowlist',
        ask: 'on-miss',
        askFallback: 'deny',
        from: { host: 'config', security: 'default', ask: 'default', askFallback: 'default' },
      },
    ],
    [
      'a conversation that replaces the configuration',
      {
        config: { host: 'gateway', security: 'allowlist', ask: 'always' },
        conversation: { security: 'full', ask: 'off' },
      },
      {
        host: 'gateway',
        security: 'full',
        ask: 'off',
        askFallback: 'deny',
        from: { host: 'config', security: 'conversation', ask: 'conversation', askFallback: 'default' },
      },
    ],
    [
      'a call that tightens',
      { config: { host: 'gateway', security: 'full', ask: 'off' }, call: { security: 'allowlist', ask: 'always' } },
      {
        host: 'gateway',
        security: 'allowlist',
        ask: 'always',
        askFallback: 'deny',
        from: { host: 'config', security: 'call', ask: 'call', askFallback: 'default' },
      },
    ],
    [
      'a call that cannot loosen',
      {
        config: { host: 'gateway', security: 'allowlist', ask: 'always' },
        call: { security: 'full', ask: 'off', host: 'sandbox' },
      },
      {
        host: 'gateway',
        security: 'allowlist',
        ask: 'always',
        askFallback: 'deny',
        from: { host: 'config', security: 'config', ask: 'config', askFallback: 'default' },
      },
    ],
    [
      'a call that goes where it is judged',
      { call: { host: 'gateway' } },
      {
        host: 'gateway',
        security: 'allowlist',
        ask: 'on-miss',
        askFallback: 'deny',
        from: { host: 'call', security: 'default', ask: 'default', askFallback: 'default' },
      },
    ],
    [
      'an approvals file that always binds',
      {
        config: { host: 'gateway' },
        conversation: { security: 'full', ask: 'off' },
        approvals: { security: 'allowlist', ask: 'on-miss', askFallback: 'full' },
      },
      {
        host: 'gateway',
        security: 'allowlist',
        ask: 'on-miss',
        askFallback: 'full',
        from: { host: 'config', security: 'approvals', ask: 'approvals', askFallback: 'approvals' },
      },
    ],
    [
      'a broken approvals file that denies',
      {
        config: { host: 'gateway', security: 'full' },
        approvals: { security: 'full', askFallback: 'full', broken: 'x' },
      },
      {
        host: 'gateway',
        security: 'deny',
        ask: 'on-miss',
        askFallback: 'deny',
        from: { host: 'config', security: 'approvals', ask: 'default', askFallback: 'approvals' },
      },
    ],
    [
      'a node',
      { config: { host: 'node', node: 'a' }, conversation: { node: 'b' } },
      {
        host: 'node',
        security: 'allowlist',
        ask: 'on-miss',
        askFallback: 'deny',
        node: 'b',
        from: { host: 'config', security: 'default', ask: 'default', askFallback: 'default' },
      },
    ],
  ])('is that of %s', (_, parts, expected) => {
    expect(effectivePolicy(layers(parts))).toEqual(expected);
  });

  it('a call never makes it less strict', () => {
    const security = fc.option(fc.constantFrom(...SECURITIES), { nil: undefined });
    const asks = fc.option(fc.constantFrom(...ASKS), { nil: undefined });
    const host = fc.option(fc.constantFrom('gateway' as const, 'node' as const), { nil: 'gateway' as const });
    const layer = fc.record({ security, ask: asks, host });
    fc.assert(
      fc.property(
        layer,
        layer,
        fc.record({ security, ask: asks }),
        fc.record({ security, ask: asks }),
        (config, conversation, call, approvals) => {
          const without = effectivePolicy(layers({ config, conversation, approvals }));
          const withCall = effectivePolicy(layers({ config, conversation, approvals, call }));
          expect(SECURITIES.indexOf(withCall.security)).toBeLessThanOrEqual(SECURITIES.indexOf(without.security));
          expect(ASKS.indexOf(withCall.ask)).toBeLessThanOrEqual(ASKS.indexOf(without.ask));
          if (approvals.security !== undefined)
            expect(SECURITIES.indexOf(without.security)).toBeLessThanOrEqual(SECURITIES.indexOf(approvals.security));
        },
      ),
    );
  });
});

describe('a command with a terminal', () => {
  const judged = (command: string, ...allowed: readonly string[]) =>
    withTerminal(ask(command, allowed), rules(), '/home/u');

  it.each([
    ['ls -l', ['ls']],
    ['nice cat a', ['cat']],
    ['git log', ['git']],
  ])('runs %s, whose programs take no orders', (command, allowed) => {
    expect(judged(command, ...allowed).verdict).toBe('allow');
  });

  it.each([
    ['less a', ['less']],
    ['stty size', ['stty']],
    ['dpkg -l', ['dpkg']],
    ['dmesg -H', ['dmesg']],
    ['systemctl list-unit-files', ['systemctl']],
    ['nice less a', ['less']],
    ['anything', ['anything']],
    ['/opt/ls', ['/opt/ls']],
  ])('A3: asks for %s', (command, allowed) => {
    expect(judged(command, ...allowed)).toMatchObject({ verdict: 'ask', code: 'interactive', explicit: true });
  });

  it('stays refused where it was', () => {
    expect(judged('sh')).toEqual(ask('sh'));
  });
});

describe('A12: a program that does not exist', () => {
  it.each(['missing', 'nice missing', 'ls | missing', 'missing | id'])('needs no approval: %s', (command) => {
    const judgement = decide({ security: 'allowlist', ask: 'on-miss' }, ask(command, ['ls', 'nice']));
    expect([judgement.verdict, judgement.code]).toEqual(['deny', 'not-found']);
  });
});
