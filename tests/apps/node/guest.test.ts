import { describe, expect, it } from 'vitest';
import { checkedCaller } from '../../../src/hosts/gateway/checked-caller.ts';
import {
  guestCaller,
  guestRequest,
  type GuestStart,
  isGuestOf,
  type NodeTerms,
  restricted,
} from '../../../src/apps/node/guest.ts';
import { forGuestSandbox } from '../../../src/hosts/gateway/inside/guest-sandbox.ts';
import { routeOf } from '../../../src/hosts/gateway/route.ts';
import { execSettings } from '../../../src/config/exec-settings.ts';
import { ASKS, type Ask, SECURITIES, type Security } from '../../../src/wire/policy.ts';
import type { ApprovalRules } from '../../../src/hosts/approvals/shape.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { anyCharacter, fc } from '../../support/property.ts';
import { faultOf } from '../../support/fault.ts';

const GATEWAY = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const OWN: NodeTerms = {
  exec: 'judged',
  sandbox: false,
  files: 'none',
  answers: 'once',
  workspaceFrom: 'config',
  workspace: '/home/u/work',
  environment: { HOME: '/home/u' },
  path: '/usr/bin:/bin',
  pathPrefixes: ['/opt/listed'],
  platform: 'linux',
  confirmed: true,
};

function started(changes: Partial<GuestStart> = {}, request: Partial<GuestStart['request']> = {}): GuestStart {
  return {
    key: '00000000-0000-4000-8000-000000000000',
    request: { command: 'uname -n', ...request },
    caller: { agent: 'main' },
    ...changes,
  };
}

describe('a request of a gateway', () => {
  it('runs on this machine, in the folder and with the environment of the node', () => {
    const all = {
      workdir: 'x',
      env: { A: '1' },
      timeout: 5,
      pty: true,
      host: 'sandbox',
      node: 'mac',
      yieldMs: 1,
      background: true,
      security: 'deny',
      ask: 'always',
    } as const;
    expect(guestRequest(started({ caller: { agent: 'main', conversation: 'c' } }, all), GATEWAY, OWN)).toEqual({
      request: {
        command: 'uname -n',
        host: 'gateway',
        background: true,
        workdir: 'x',
        env: { A: '1' },
        timeout: 5,
        pty: true,
        security: 'deny',
        ask: 'always',
      },
      context: {
        caller: { agent: `${GATEWAY}/main`, client: 'gateway', conversation: `${GATEWAY}/c` },
        folder: '/home/u/work',
        environment: { HOME: '/home/u' },
        restrictions: { tools: { exec: { notifyOnExit: false } } },
        followed: true,
      },
      warnings: [],
    });
  });

  it('never runs elevated', () => {
    const { request, warnings } = guestRequest(started({}, { elevated: true }), GATEWAY, OWN);
    expect(request).not.toHaveProperty('elevated');
    expect(warnings).toEqual(['elevated has no effect: a node never runs commands of a gateway elevated']);
  });

  it('is refused where node.exec is off', () => {
    expect(faultOf(() => guestRequest(started(), GATEWAY, { ...OWN, exec: 'off' })).code).toBe('NODE_CANNOT');
  });

  it.each(['PATH', 'path', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'dyld_x', 'PINCER_X'])(
    'is refused with env.%s, also if the gateway has sent it',
    (name) => {
      expect(faultOf(() => guestRequest(started({}, { env: { [name]: '/x' } }), GATEWAY, OWN)).code).toBe(
        'EXEC_ENV_REFUSED',
      );
    },
  );

  it.each(['', '*'])('is refused from an agent called %j', (agent) => {
    expect(faultOf(() => guestCaller({ agent }, GATEWAY)).code).toBe('EXEC_AGENT_INVALID');
  });

  it('accepts every agent name that a gateway accepts', () => {
    for (const length of [1, 167, 168, 200]) {
      const agent = 'x'.repeat(length);
      expect(checkedCaller({ agent }).agent).toBe(agent);
      expect(checkedCaller(guestCaller({ agent }, GATEWAY)).agent).toBe(`${GATEWAY}/${agent}`);
    }
    expect(faultOf(() => checkedCaller(guestCaller({ agent: 'x'.repeat(201) }, GATEWAY))).code).toBe(
      'EXEC_AGENT_INVALID',
    );
  });

  it('belongs to its gateway only, whatever its agent is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 80 }), (agent) => {
        fc.pre(agent !== '*');
        const caller = guestCaller({ agent }, GATEWAY);
        expect([isGuestOf(caller.agent, GATEWAY), isGuestOf(caller.agent, OTHER)]).toEqual([true, false]);
        expect(caller).not.toHaveProperty('operator');
      }),
    );
  });
});

describe('a request of a gateway where node.sandbox is true', () => {
  const SANDBOXED: NodeTerms = { ...OWN, sandbox: true };

  it('asks for a sandbox, and keeps nothing of ask and PATH', () => {
    const path = '/opt/x:/usr/bin:/bin';
    const { request, context, warnings } = guestRequest(started({ path }, { ask: 'on-miss' }), GATEWAY, SANDBOXED);
    expect(request).toEqual({ command: 'uname -n', host: 'sandbox', background: true });
    expect(context).toMatchObject({ guestSandbox: true, caller: { agent: `${GATEWAY}/main` } });
    expect(context).not.toHaveProperty('pathPrepend');
    expect(warnings).toEqual(['tools.exec.pathPrepend has no effect: the command runs in a sandbox of the node']);
  });

  it.each<[string, NodeTerms, Partial<GuestStart['request']>]>([
    ['the gateway wants an answer to each command', SANDBOXED, { ask: 'always' }],
    ['the pairing is not confirmed', { ...SANDBOXED, confirmed: false }, {}],
    ['node.exec is off', { ...SANDBOXED, exec: 'off' }, {}],
  ])('is refused where %s', (_, own, request) => {
    expect(faultOf(() => guestRequest(started({}, request), GATEWAY, own)).code).toBe('NODE_CANNOT');
  });

  it('offers no commands before the pairing is confirmed', () => {
    expect(restricted({ ...SANDBOXED, confirmed: false }).exec).toBe('off');
    expect(restricted({ ...OWN, confirmed: false }).exec).toBe('judged');
  });

  it('runs inside whatever the configuration says, or not at all; only deny is kept', () => {
    for (const mode of ['off', 'non-main', 'all'] as const)
      for (const host of [undefined, 'gateway', 'sandbox', 'node'] as const)
        for (const own of [undefined, ...SECURITIES])
          for (const asked of [undefined, ...SECURITIES]) {
            const guest = guestRequest(started({}, asked === undefined ? {} : { security: asked }), GATEWAY, SANDBOXED);
            const exec = {
              ...(host === undefined ? {} : { host }),
              ...(own === undefined ? {} : { security: own }),
            };
            const config: ConfigFile = { tools: { exec }, sandbox: { mode, scope: 'shared' } };
            const settings = execSettings({ config, sources: [], warnings: [] }, guest.context.caller.agent, '/home/u');
            const inputs = { settings, approvals: { allowlist: [], deny: [] }, conversation: {} };
            if (mode === 'off')
              expect(faultOf(() => routeOf(guest.request, guest.context, inputs)).code).toBe('SANDBOX_OFF');
            const route = routeOf(guest.request, guest.context, forGuestSandbox(inputs));
            const security = own === 'deny' || asked === 'deny' ? 'deny' : 'full';
            expect(route).toMatchObject({ isInside: true, isJudged: true, elevation: 'off', effective: { security } });
            expect(forGuestSandbox(inputs).settings.sandbox.scope).toBe('agent');
          }
  });
});

describe('the PATH of a gateway', () => {
  const foldersOf = (path: string, own = OWN) => guestRequest(started({ path }), GATEWAY, own).context.pathPrepend;

  it.each([
    ['/opt/a:/usr/bin:/bin', ['/opt/a']],
    ['/opt/a:/opt/b:/usr/bin:/bin', ['/opt/a', '/opt/b']],
    ['/usr/bin:/bin', undefined],
  ])('%s puts folders before that of the node', (path, folders) => {
    expect(foldersOf(path)).toEqual(folders);
  });

  it.each([
    ['/opt/listed:/usr/bin:/bin', undefined],
    ['/opt/a:/opt/listed:/usr/bin:/bin', ['/opt/a']],
    ['/opt/listed/../a:/opt/listed/:/usr/bin:/bin', ['/opt/listed/../a', '/opt/listed/']],
    ['/opt/listed/sub:/usr/bin:/bin', ['/opt/listed/sub']],
  ])('of %s, the folders %j are not listed on the node', (path, unlisted) => {
    expect(guestRequest(started({ path }), GATEWAY, OWN).context.unlistedFolders).toEqual(unlisted);
  });

  it.each([
    '/opt/a',
    '/opt/a:/usr/bin',
    '/opt/a:/usr/bin:/bin:',
    '/opt/a:/usr/bin:/bin:/opt/b',
    'opt:/usr/bin:/bin',
    ':/usr/bin:/bin',
    '/opt/a::/usr/bin:/bin',
    '/opt/a:.:/usr/bin:/bin',
    '/opt/a\0:/usr/bin:/bin',
    'x/usr/bin:/bin',
    '',
  ])('%j is refused', (path) => {
    expect(faultOf(() => foldersOf(path)).code).toBe('NODE_PATH_REFUSED');
  });

  it.each(['/opt/a:/usr/bin:/bin', '/elsewhere'])('%s has no effect on macOS', (path) => {
    const { context, warnings } = guestRequest(started({ path }), GATEWAY, { ...OWN, platform: 'darwin' });
    expect(context).not.toHaveProperty('pathPrepend');
    expect(warnings).toEqual(['tools.exec.pathPrepend has no effect: a node on macOS uses its own PATH']);
  });
});

describe('the policy of a node', () => {
  const strictness = (security: Security, ask: Ask) => [SECURITIES.indexOf(security), -ASKS.indexOf(ask)] as const;
  const securities = [undefined, ...SECURITIES];
  const asks = [undefined, ...ASKS];

  function effective(request: Partial<GuestStart['request']>, config: ConfigFile, approvals: Partial<ApprovalRules>) {
    const guest = guestRequest(started({}, request), GATEWAY, OWN);
    const settings = execSettings({ config, sources: [], warnings: [] }, guest.context.caller.agent, '/home/u');
    const inputs = { settings, approvals: { allowlist: [], deny: [], ...approvals }, conversation: {} };
    return routeOf(guest.request, guest.context, inputs);
  }

  const cases = securities.flatMap((security) =>
    asks.flatMap((ask) =>
      (['off', 'all'] as const).flatMap((mode) =>
        ([undefined, 'gateway', 'sandbox'] as const).map((host) => ({ security, ask, mode, host })),
      ),
    ),
  );

  it.each(cases)('with $security, $ask, sandbox $mode and host $host is never laxer for a gateway', (own) => {
    const exec = {
      ...(own.host === undefined ? {} : { host: own.host }),
      ...(own.security === undefined ? {} : { security: own.security }),
      ...(own.ask === undefined ? {} : { ask: own.ask }),
    };
    const elevated = { enabled: true, allowFrom: { any: ['*'] } };
    const config: ConfigFile = {
      tools: { exec, elevated },
      sandbox: { mode: own.mode },
      agents: { defaults: { elevatedDefault: 'full' } },
    };
    for (const approvals of [{}, { security: own.security ?? 'allowlist', ask: own.ask ?? 'off' }, { broken: 'x' }]) {
      const alone = effective({}, config, approvals);
      const [aloneSecurity, aloneAsk] = strictness(alone.effective.security, alone.effective.ask);
      expect(alone.isJudged).toBe(true);
      for (const security of securities)
        for (const ask of asks)
          for (const elevatedCall of [undefined, true]) {
            const request = {
              ...(security === undefined ? {} : { security }),
              ...(ask === undefined ? {} : { ask }),
              ...(elevatedCall === undefined ? {} : { elevated: elevatedCall }),
              host: 'sandbox' as const,
            };
            const route = effective(request, config, approvals);
            const [guestSecurity, guestAsk] = strictness(route.effective.security, route.effective.ask);
            expect([route.isJudged, route.isInside, route.elevation]).toEqual([true, false, 'off']);
            expect(guestSecurity).toBeLessThanOrEqual(aloneSecurity);
            expect(guestAsk).toBeLessThanOrEqual(aloneAsk);
            if (security !== undefined) expect(guestSecurity).toBeLessThanOrEqual(SECURITIES.indexOf(security));
            if (ask !== undefined) expect(guestAsk).toBeLessThanOrEqual(-ASKS.indexOf(ask));
          }
    }
  });
});
