import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import type { ExecRequest } from '../../../src/wire/exec.ts';
import { makeFolder } from '../../support/folder.ts';
import { ended, output, type TestGateway, testGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { bubblewrapTechnology, whyNoBubblewrap } from '../../support/sandbox.ts';

const ALL: ConfigFile = { sandbox: { mode: 'all' } };
const missing = await whyNoBubblewrap();

async function boxed(config: ConfigFile = ALL): Promise<TestGateway> {
  const root = makeFolder();
  return testGateway(config, { sandboxes: await bubblewrapTechnology(root) }, root);
}

describe.skipIf(missing !== undefined)('a command in a sandbox', () => {
  it('sees its workspace and nothing else of this machine', async () => {
    const gateway = await boxed();
    writeFileSync(join(gateway.folder, 'here.txt'), 'mine\n');
    const outcome = await gateway.exec({
      command: 'pwd; cat here.txt; cat /etc/shadow; ls -A /root /home 2>&1; id -un',
    });
    expect(outcome).toMatchObject({
      status: 'completed',
      session: { host: 'sandbox', sandbox: true, cwd: '/workspace' },
    });
    expect(output(outcome)).toMatch(/^\/workspace\nmine\ncat: \/etc\/shadow: (?:No such|Permission)/u);
    expect(output(outcome)).not.toContain('root:');
  });

  it('is the same sandbox for the next command, with what runs in it', async () => {
    const gateway = await boxed();
    await gateway.exec({ command: 'echo one > /tmp/kept' });
    expect(output(await gateway.exec({ command: 'cat /tmp/kept' }))).toBe('one\n');
    expect(await gateway.gateway.call('sandbox.list', {})).toMatchObject([
      { owner: 'main', backend: 'bubblewrap', scope: 'agent', workspaceAccess: 'rw', running: 0 },
    ]);
  });

  it('has env.PATH and pathPrepend before the PATH of the profile, unread by a shell', async () => {
    const config = { sandbox: { mode: 'all', env: { PATH: '/opt/last' } } } as const;
    const gateway = await boxed({ ...config, tools: { exec: { pathPrepend: ['/opt/first'] } } });
    const evil = '/x:$(touch /workspace/owned):`id`:"; id; "';
    const outcome = await gateway.exec({
      command: 'printf "%s\\n" "$PATH"; echo "[$PINCER_PREPEND_PATH$PINCER_BASE_PATH] [$1] $#"',
      env: { PATH: evil },
    });
    expect(output(outcome)).toMatch(
      /^\/opt\/first:\/x:\$\(touch \/workspace\/owned\):`id`:"; id; ":\/opt\/last:\/usr\/local/u,
    );
    expect(output(outcome)).toMatch(/\n\[\] \[\] 0\n$/u);
    expect(() => readFileSync(join(gateway.folder, 'owned'))).toThrow('ENOENT');
  });

  it('has only the variables that it is given', async () => {
    const gateway = await boxed({ sandbox: { mode: 'all', env: { FROM_OPERATOR: 'yes' } } });
    const outcome = await gateway.exec(
      { command: 'env | sort', env: { MINE: '1', LD_PRELOAD: '', NODE_OPTIONS: '--no-warnings' } },
      {
        environment: { HOME: '/root', PATH: '/evil', SECRET_TOKEN: 'x', TERM: 'xterm', TZ: 'UTC', SSH_AUTH_SOCK: '/s' },
      },
    );
    const names = output(outcome)
      .split('\n')
      .map((line) => line.split('=', 1)[0])
      .filter((name) => name !== '' && !/^(?:_|PWD|OLDPWD|SHLVL|PS1)$/u.test(name!));
    expect(names).toEqual(
      (
        'FROM_OPERATOR HOME LANG LD_PRELOAD LOGNAME MINE NODE_OPTIONS PATH PINCER_OWNER PINCER_SESSION PINCER_SHELL ' +
        'SHELL TERM TMPDIR TZ USER'
      ).split(' '),
    );
  });

  it.each([
    [undefined, '/workspace'],
    ['.', '/workspace'],
    ['sub', '/workspace/sub'],
    ['/workspace/sub', '/workspace/sub'],
    ['HERE/sub', '/workspace/sub'],
    ['~/work/sub', '/workspace/sub'],
  ])('runs in the folder %j as %j', async (workdir, cwd) => {
    const gateway = await boxed();
    mkdirSync(join(gateway.folder, 'sub'));
    const outcome = await gateway.exec(
      {
        command: 'pwd',
        ...(workdir === undefined ? {} : { workdir: workdir.replace('HERE', gateway.folder) }),
      },
      { environment: { HOME: dirname(gateway.folder) } },
    );
    expect([output(outcome), 'session' in outcome ? outcome.session.cwd : '']).toEqual([`${cwd}\n`, cwd]);
  });

  it.each(['..', '/etc', '/workspace/../etc', '/tmp', '~'])(
    'refuses the folder %j, which is not in the workspace',
    async (workdir) => {
      const gateway = await boxed();
      const environment = { HOME: dirname(gateway.folder) };
      await expect(gateway.exec({ command: 'pwd', workdir }, { environment })).rejects.toMatchObject({
        code: 'SANDBOX_WORKDIR_OUTSIDE',
        message: `${workdir} is not in the workspace of the sandbox`,
      });
    },
  );

  it('names the missing folder', async () => {
    const gateway = await boxed();
    const outcome = await gateway.exec({ command: 'pwd', workdir: 'nowhere' });
    expect(outcome).toMatchObject({ status: 'failed', session: { failure: 'spawn-failed' } });
    expect('session' in outcome && outcome.session.failureNote).toBe(
      'the folder /workspace/nowhere or the program /bin/sh does not exist in the sandbox (ENOENT)',
    );
  });

  it('may not have variables with our names', async () => {
    const gateway = await boxed();
    const env = { PINCER_PREPEND_PATH: '/evil' };
    await expect(gateway.exec({ command: 'env', env })).rejects.toMatchObject({ code: 'EXEC_ENV_REFUSED' });
  });

  it('has a terminal, continues in the background, takes input, is ended and is reported', async () => {
    const gateway = await boxed();
    const started = await gateway.exec({
      command: 'tty; read -r line; echo "got $line"; sleep 100',
      pty: true,
      yieldMs: 10,
    });
    if (!('session' in started)) throw new Error('not started');
    const of = { caller: { agent: 'main' }, sessionId: started.session.id };
    await gateway.gateway.call('session.input', { ...of, input: { kind: 'write', data: 'hello\r' } });
    let seen = '';
    for (let i = 0; i < 100 && !seen.includes('got hello'); i++)
      seen += (await gateway.gateway.call('session.poll', { ...of, waitMs: 200 })).output.text;
    expect(seen).toMatch(/^\/dev\/pts\/\d+$/mu);
    const killed = await gateway.gateway.call('session.kill', of);
    expect(killed).toMatchObject({ status: 'failed', failure: 'killed', sandbox: true });
  });

  it('ends with its timeout, and with its children that left it', async () => {
    const gateway = await boxed();
    const outcome = await gateway.exec({ command: 'setsid sleep 1234 & sleep 1234', timeout: 0.5 });
    expect(outcome).toMatchObject({ status: 'failed', session: { failure: 'timeout' } });
    const left = async (): Promise<string> => output(await gateway.exec({ command: 'pgrep -x sleep | wc -l' })).trim();
    await until(async () => (await left()) === '0', 'the end of all processes');
  });

  it('is reported when it ends in the background', async () => {
    const gateway = await boxed();
    const outcome = await gateway.exec({ command: 'echo done', background: true });
    if (!('session' in outcome)) throw new Error('not started');
    await ended(gateway, outcome.session.id);
    expect(await gateway.gateway.call('notice.list', {})).toMatchObject([{ kind: 'exec-exit', wake: true }]);
  });

  it('is lost with the reason when its sandbox is ended, and the next one gets a new sandbox', async () => {
    const gateway = await boxed();
    const outcome = await gateway.exec({ command: 'echo begun; sleep 100', background: true });
    if (!('session' in outcome)) throw new Error('not started');
    const [before] = await gateway.gateway.call('sandbox.recreate', { agent: 'main' });
    expect(await ended(gateway, outcome.session.id)).toMatchObject({
      failure: 'lost',
      failureNote: 'its sandbox ended: it is being recreated',
    });
    expect(output(await gateway.exec({ command: 'echo again' }))).toBe('again\n');
    const [after] = await gateway.gateway.call('sandbox.list', {});
    expect([before?.running, after?.id === before?.id]).toEqual([1, false]);
  });
});

describe.skipIf(missing !== undefined)('the choice of a host', () => {
  const runs = async (
    config: ConfigFile,
    request: Partial<ExecRequest>,
    caller = { agent: 'main', conversation: 'c' },
  ) => {
    const gateway = await boxed(config);
    const outcome = await gateway.exec({ command: 'true', ...request }, { caller });
    if (!('session' in outcome)) return outcome.status;
    return `${outcome.session.host}${outcome.session.sandbox === true ? ' in a sandbox' : ''}`;
  };
  const elevated = (more: object = {}, level: 'off' | 'on' | 'ask' | 'full' = 'off'): ConfigFile => ({
    ...ALL,
    tools: { elevated: { enabled: true, allowFrom: { any: ['main'] }, ...more } },
    agents: { defaults: { elevatedDefault: level } },
  });

  it.each<[string, ConfigFile, Partial<ExecRequest>, string]>([
    ['off is this machine', {}, {}, 'sandbox'],
    ['all is a sandbox', ALL, {}, 'sandbox in a sandbox'],
    ['an agent of its own', { ...ALL, agents: { list: [{ id: 'main', sandbox: { mode: 'off' } }] } }, {}, 'sandbox'],
    ['the gateway is judged as ever', ALL, { host: 'gateway' }, 'approval-pending'],
    [
      'the gateway is judged for whoever leaves a sandbox for it, however loose it is',
      { ...ALL, tools: { exec: { security: 'full', ask: 'off' } } },
      { host: 'gateway', security: 'full', ask: 'off' },
      'approval-pending',
    ],
    [
      'the operator who sends commands there decides how they are judged',
      { ...ALL, tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } },
      {},
      'gateway',
    ],
    [
      'a configured gateway is not left for the sandbox',
      { ...ALL, tools: { exec: { host: 'gateway' } } },
      {},
      'approval-pending',
    ],
    ['elevated is judged on the gateway', elevated(), { elevated: true }, 'approval-pending'],
    ['elevated by default', elevated({}, 'on'), {}, 'approval-pending'],
    ['not elevated although it is the default', elevated({}, 'full'), { elevated: false }, 'sandbox in a sandbox'],
    ['only full is not asked about', elevated({}, 'full'), {}, 'gateway'],
    ['full can be asked for less', elevated({}, 'full'), { security: 'allowlist', ask: 'always' }, 'approval-pending'],
    [
      'a closed gate leaves the default without effect',
      elevated({ enabled: false }, 'full'),
      {},
      'sandbox in a sandbox',
    ],
    ['elevated says nothing where it is off', {}, { elevated: true }, 'sandbox'],
  ])('%s', async (_, config, request, where) => {
    expect(await runs(config, request)).toBe(where);
  });

  it('is the person’s own at the command line', async () => {
    const caller = { agent: 'main', conversation: 'c', operator: true } as const;
    const loose: ConfigFile = { ...ALL, tools: { exec: { security: 'full', ask: 'off' } } };
    expect(await runs(loose, { host: 'gateway' }, caller)).toBe('gateway');
  });

  it("accepts the agent's path for the folder of an elevated command", async () => {
    const gateway = await boxed(elevated({}, 'full'));
    mkdirSync(join(gateway.folder, 'sub'));
    const outcome = await gateway.exec({ command: 'pwd', workdir: '/workspace/sub' });
    expect([output(outcome), 'session' in outcome && outcome.session.sandbox]).toEqual([
      `${join(gateway.folder, 'sub')}\n`,
      undefined,
    ]);
    await expect(gateway.exec({ command: 'pwd', workdir: '/workspace/../nowhere' })).rejects.toMatchObject({
      code: 'EXEC_WORKDIR_MISSING',
    });
  });

  it.each([
    [{ agent: 'main' }, 'sandbox'],
    [{ agent: 'main', conversation: 'main' }, 'sandbox'],
    [{ agent: 'main', conversation: 'group-1' }, 'sandbox in a sandbox'],
    [{ agent: 'helper' }, 'sandbox in a sandbox'],
  ])('non-main: %j runs on %s', async (caller, where) => {
    expect(await runs({ sandbox: { mode: 'non-main' } }, {}, caller as { agent: string; conversation: string })).toBe(
      where,
    );
  });

  it.each([
    [elevated({ enabled: false }), 'elevated is refused: tools.elevated.enabled is not true'],
    [
      elevated({ allowFrom: { any: ['other'] } }),
      'elevated is refused: tools.elevated.allowFrom names neither "main" nor its conversation',
    ],
  ])('refuses elevated where a gate is closed', async (config, message) => {
    const gateway = await boxed(config);
    await expect(gateway.exec({ command: 'true', elevated: true })).rejects.toMatchObject({
      code: 'EXEC_ELEVATED_REFUSED',
      message,
    });
  });

  it('keeps denying what the file of approvals denies, however elevated', async () => {
    const root = makeFolder();
    mkdirSync(join(root, 'state'), { mode: 0o700 });
    writeFileSync(
      join(root, 'state', 'exec-approvals.json'),
      JSON.stringify({ version: 1, defaults: { security: 'deny' } }),
      { mode: 0o600 },
    );
    const gateway = await testGateway(elevated({}, 'full'), { sandboxes: await bubblewrapTechnology(root) }, root);
    expect(await gateway.exec({ command: 'true' })).toMatchObject({ status: 'denied', reason: 'security=deny' });
  });

  it('never runs on this machine what was asked to be in a sandbox only', async () => {
    const gateway = await boxed({});
    await expect(gateway.exec({ command: 'true' }, { sandboxOnly: true })).rejects.toMatchObject({
      code: 'SANDBOX_OFF',
    });
  });

  it('never falls back to this machine when there is no sandbox', async () => {
    const gateway = await testGateway(ALL);
    await expect(gateway.exec({ command: `touch ${gateway.folder}/ran` })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    });
    expect(() => readFileSync(join(gateway.folder, 'ran'))).toThrow('ENOENT');
  });
});

describe.skipIf(missing !== undefined)('a file tool in a sandbox', () => {
  const call = ({ gateway, folder }: TestGateway, tool: string, args: unknown, context = {}) =>
    gateway.call('sandbox.tool', { caller: { agent: 'main', conversation: 'c' }, folder, tool, args, context });

  it('with onlyRunning makes and replaces no sandbox, whose record would be lost', async () => {
    const box = await boxed();
    const list = () =>
      box.gateway.call('sandbox.tool', {
        caller: { agent: 'main', conversation: 'c' },
        folder: box.folder,
        tool: 'changes',
        args: { action: 'list' },
        onlyRunning: true,
      });
    const refusal = (text: string) => ({
      code: 'SANDBOX_NOT_RUNNING',
      message: expect.stringContaining(text) as string,
    });
    const ids = async () => (await box.gateway.call('sandbox.list', {})).map(({ id }) => id);
    await expect(list()).rejects.toMatchObject(refusal('no sandbox of main runs for'));
    expect(await ids()).toEqual([]);
    await call(box, 'write', { path: 'a.txt', content: 'one\n' });
    const before = await ids();
    expect((await list()).details['changes']).toHaveLength(1);
    mkdirSync(join(box.folder, '.vscode'));
    writeFileSync(join(box.folder, '.vscode/tasks.json'), '{}\n');
    await expect(list()).rejects.toMatchObject(refusal('".vscode'));
    expect(await ids()).toEqual(before);
  });

  it('reads, writes, edits and patches the workspace', async () => {
    const box = await boxed();
    await call(box, 'write', { path: 'a.txt', content: 'one\n' });
    await call(box, 'edit', { path: join(box.folder, 'a.txt'), oldText: 'one', newText: 'two' });
    const patch = '*** Begin Patch\n*** Add File: b.txt\n+three\n*** End Patch\n';
    expect(await call(box, 'apply_patch', { input: patch })).toMatchObject({ details: { sandbox: true } });
    expect(await call(box, 'read', { path: 'a.txt' })).toMatchObject({
      content: [{ type: 'text', text: 'two\n' }],
      details: { path: 'a.txt', sandbox: true },
    });
    expect(readFileSync(join(box.folder, 'b.txt'), 'utf8')).toBe('three\n');
  });

  it.each([
    ['write', { path: 'new.txt', content: 'x' }],
    ['edit', { path: 'a.txt', oldText: 'one', newText: 'two' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch\n' }],
    ['path', { verb: 'set', path: 'oc://a.json/a', value: '2' }],
  ])('%s reports what prevents it from writing', async (tool, args) => {
    const box = await boxed({ sandbox: { mode: 'all', workspaceAccess: 'ro' } });
    writeFileSync(join(box.folder, 'a.txt'), 'one\n');
    writeFileSync(join(box.folder, 'a.json'), '{"a": 1}\n');
    const hint = 'agents may only read the workspace in their sandbox: the operator sets sandbox.workspaceAccess';
    expect(await call(box, tool, args)).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(`\n${hint}$`) }],
      details: { code: 'FS_WRITE_FAILED', hint, sandbox: true, workspaceAccess: 'ro' },
    });
  });

  it('has a private workspace, which is kept', async () => {
    const box = await boxed({ sandbox: { mode: 'all', workspaceAccess: 'none' } });
    writeFileSync(join(box.folder, 'a.txt'), 'one\n');
    expect(await call(box, 'read', { path: 'a.txt' })).toMatchObject({
      isError: true,
      details: { code: 'FS_NOT_FOUND', workspaceAccess: 'none' },
    });
    await call(box, 'write', { path: 'kept.txt', content: 'x' });
    await box.gateway.call('sandbox.recreate', {});
    expect(await call(box, 'read', { path: 'kept.txt' })).toMatchObject({ content: [{ text: 'x' }] });
    expect(() => readFileSync(join(box.folder, 'kept.txt'))).toThrow('ENOENT');
  });

  it('finds nothing behind a link to this machine', async () => {
    const box = await boxed();
    const secret = join(box.stateDir, 'secret');
    writeFileSync(secret, 'secret');
    symlinkSync(secret, join(box.folder, 'link'));
    const result = await call(box, 'read', { path: 'link' }, { workspaceOnly: false });
    expect(result).toMatchObject({ isError: true, details: { sandbox: true } });
    expect(JSON.stringify(result)).not.toContain('"secret"');
  });

  it('is refused where sandboxing is off, and where it is not a file tool', async () => {
    await expect(call(await boxed({}), 'read', { path: 'a' })).rejects.toMatchObject({
      code: 'SANDBOX_OFF',
      message: 'sandboxing is off for the agent main',
    });
    await expect(call(await boxed(), 'exec', { command: 'id' })).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
  });
});

describe.skipIf(missing !== undefined)('reports about sandboxes', () => {
  it('explains where commands run', async () => {
    const box = await boxed();
    const caller = { agent: 'main' };
    const { folder } = box;
    expect(await box.gateway.call('sandbox.explain', { caller, folder })).toMatchObject({
      sandboxed: true,
      backend: 'bubblewrap',
      reason: 'sandbox.mode is all',
      probe: { ok: true },
      open: [{ backend: 'bubblewrap', owner: 'main', running: 0 }],
    });
    const refused = await boxed({ sandbox: { mode: 'all', binds: [{ source: '/etc' }] } });
    expect(await refused.gateway.call('sandbox.explain', { caller, folder: refused.folder })).toMatchObject({
      sandboxed: true,
      commandsSandboxed: false,
      commands:
        'commands fail: they must run in a sandbox (bubblewrap), and /etc contains the accounts and keys of this machine',
      probe: { ok: false, message: '/etc contains the accounts and keys of this machine' },
      open: [],
    });
    const off = await boxed({});
    expect(await off.gateway.call('sandbox.explain', { caller, folder })).toMatchObject({
      sandboxed: false,
      backend: 'off',
      reason: 'sandbox.mode is off',
      probe: { ok: true, promises: [] },
    });
  });

  it('explains that commands in a sandbox are not judged', async () => {
    const { gateway, folder } = await boxed();
    const context = { caller: { agent: 'main' }, folder, environment: {} };
    expect(await gateway.call('policy.explain', { request: { command: 'ls' }, context })).toMatchObject({
      judgement: {
        code: 'not-consulted',
        reason: 'the command runs in a sandbox, which limits it, and is not judged',
      },
    });
  });
});
