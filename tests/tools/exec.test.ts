import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool } from '../../src/tools/call.ts';
import { execTool } from '../../src/tools/exec.ts';
import { localFiles } from '../../src/hosts/files/files.ts';
import { makeFolder } from '../support/folder.ts';
import { PATIENCE_MS, until, withEnoughTime, UNTIL_GO } from '../support/patience.ts';
import { runningTools } from '../support/running-tools.ts';

const anyNumber = expect.any(Number) as number;
const anyText = expect.any(String) as string;
const text = (value: string) => [{ type: 'text', text: value }];

describe('exec', () => {
  it('runs a command to its end and returns its output', async () => {
    const { exec, folder } = await runningTools();
    writeFileSync(join(folder, 'a.txt'), '');
    expect(await exec({ command: 'ls; pwd' })).toEqual({
      content: text(`a.txt\n${folder}`),
      details: {
        status: 'completed',
        exitCode: 0,
        durationMs: anyNumber,
        aggregated: `a.txt\n${folder}\n`,
        cwd: folder,
        sandbox: false,
      },
    });
  });

  it('completes with an exit code other than 0, and reports it', async () => {
    const { exec, folder } = await runningTools();
    expect(await exec({ command: 'echo out; echo err >&2; exit 3' })).toEqual({
      content: text('out\nerr\n\n(Command exited with code 3)'),
      details: {
        status: 'completed',
        exitCode: 3,
        durationMs: anyNumber,
        aggregated: 'out\nerr\n',
        cwd: folder,
        sandbox: false,
      },
    });
  });

  it.each([
    ['true', '(no output)'],
    ['exit 4', '(Command exited with code 4)'],
    ['printf x', 'x'],
  ])('shows %s as %j', async (command, shown) => {
    const { exec } = await runningTools();
    expect((await exec({ command })).content).toEqual(text(shown));
  });

  it('uses workdir relative to the workspace, and the environment of the call', async () => {
    const { exec, folder } = await runningTools();
    mkdirSync(join(folder, 'sub'));
    expect(await exec({ cmd: 'pwd; echo "$GREETING"', cwd: 'sub', env: { GREETING: 'hej' } })).toMatchObject({
      content: text(`${folder}/sub\nhej`),
      details: { cwd: `${folder}/sub` },
    });
  });

  it('runs a command in a terminal with pty', async () => {
    const { exec } = await runningTools();
    const { details } = await exec({ command: 'test -t 1 && stty size', pty: true });
    expect(details).toMatchObject({ status: 'completed', exitCode: 0, aggregated: '30 120\n' });
  });

  it('continues in the background after yieldMs, and tells how to follow it', async () => {
    const { exec, folder, process } = await runningTools();
    const { content, details } = await withEnoughTime(
      (yieldMs) => exec({ command: 'echo begun; exec sleep 60', yieldMs }),
      (result) => result.details['tail'] !== '',
      100,
    );
    const { sessionId, pid } = details as { sessionId: string; pid: number };
    expect({ content, details }).toEqual({
      content: text(
        `Command still running (session ${sessionId}, pid ${pid}). Use process (list/poll/log/write/send-keys/kill/clear/remove) for follow-up. Its time limit is 1800 s; timeout 0 sets none.`,
      ),
      details: {
        status: 'running',
        sessionId,
        pid: anyNumber,
        startedAt: anyNumber,
        timeoutSec: 1800,
        cwd: folder,
        tail: 'begun\n',
        sandbox: false,
      },
    });
    expect((await process({ action: 'kill', sessionId })).details).toMatchObject({
      status: 'failed',
      failure: 'killed',
    });
  });

  it('runs in the background immediately with background', async () => {
    const { exec, process } = await runningTools({ tools: { exec: { backgroundMs: 120_000 } } });
    const begin = Date.now();
    const { details } = await exec({ command: 'sleep 60', background: true });
    const isAtOnce = Date.now() - begin < PATIENCE_MS;
    expect({ status: details['status'], isAtOnce }).toEqual({ status: 'running', isAtOnce: true });
    await process({ action: 'remove', sessionId: details['sessionId'] });
  });

  it('runs to the end where the tool process is denied, and reports that', async () => {
    const { exec, folder } = await runningTools();
    const command = `: > started; ${UNTIL_GO}; echo done`;
    const answer = exec({ command, yieldMs: 10, background: true }, { processAllowed: false });
    await until(() => existsSync(join(folder, 'started')), 'the start of the command');
    writeFileSync(join(folder, 'go'), '');
    expect(await answer).toMatchObject({
      content: text(
        'Warning: background and yieldMs have no effect: the tool process is denied, so the command ran to its end\n\ndone',
      ),
      details: {
        status: 'completed',
        warnings: ['background and yieldMs have no effect: the tool process is denied, so the command ran to its end'],
      },
    });
  });

  it('warns that elevated has no effect without a sandbox', async () => {
    const { exec } = await runningTools();
    expect((await exec({ command: 'echo x', elevated: true })).content).toEqual(
      text('Warning: elevated has no effect: sandboxing is off, and commands run on this machine already\n\nx'),
    );
  });

  it('fails on timeout, with the output so far', async () => {
    const { exec, folder } = await runningTools();
    let seconds = 0;
    const answer = await withEnoughTime(
      (ms) => exec({ command: 'echo begun; exec sleep 60', timeout: (seconds = ms / 1000) }),
      ({ details }) => details['aggregated'] !== '',
      500,
    );
    expect(answer).toEqual({
      content: text(`begun\n\nCommand timed out after ${seconds} seconds`),
      details: {
        status: 'failed',
        code: 'EXEC_TIMEOUT',
        failure: 'timeout',
        exitSignal: 'SIGTERM',
        durationMs: anyNumber,
        aggregated: 'begun\n',
        cwd: folder,
        sandbox: false,
      },
      isError: true,
      error: `Command timed out after ${seconds} seconds`,
    });
  });

  it('fails when another process kills the command', async () => {
    const { exec } = await runningTools();
    expect(await exec({ command: 'echo a; kill -9 $$' })).toMatchObject({
      content: text('a\n\nCommand aborted by signal SIGKILL'),
      details: { status: 'failed', code: 'EXEC_FAILED', exitSignal: 'SIGKILL', aggregated: 'a\n' },
      isError: true,
    });
  });

  it('ends the command when the call is aborted', async () => {
    const { exec, gateway, folder } = await runningTools();
    const abort = new AbortController();
    const answer = exec({ command: ': > started; exec sleep 60' }, { signal: abort.signal });
    await until(() => existsSync(join(folder, 'started')), 'the start of the command');
    abort.abort();
    expect(await answer).toMatchObject({
      content: text('Aborted'),
      details: { status: 'failed', code: 'TOOL_ABORTED', failure: 'aborted', name: 'AbortError' },
      isError: true,
      error: 'Aborted',
    });
    expect(gateway.busy()).toBe(false);
  });

  it('omits the middle of long output, and tells where it is', async () => {
    const { exec } = await runningTools();
    const { content, details } = await exec({ command: 'seq 1 100000' });
    const { sessionId, omittedBytes } = details as { sessionId: string; omittedBytes: number };
    expect(details).toMatchObject({
      status: 'completed',
      truncated: true,
      omittedBytes: anyNumber,
      sessionId: anyText,
    });
    expect(content[0]).toMatchObject({
      text: expect.stringMatching(
        new RegExp(
          `\\n100000\\n\\n\\[${omittedBytes} bytes of output omitted; process log with sessionId ${sessionId} shows them\\]$`,
          'u',
        ),
      ) as string,
    });
    expect((details['aggregated'] as string).length).toBeLessThan(200_100);
  });
});

describe('exec where commands are judged', () => {
  const gatewayHost = { tools: { exec: { host: 'gateway' } } } as const;

  it('returns immediately that approval is required', async () => {
    const { exec, folder } = await runningTools(gatewayHost);
    const { content, details } = await exec({ command: 'ls -la' });
    const slug = details['approvalSlug'] as string;
    expect({ content, details }).toEqual({
      content: text(
        `Approval required (id ${slug}): /usr/bin/ls is not on the allowlist.\nThe command has not started. It runs when a person allows it with pincer approvals allow ${slug} or /approve ${slug} allow-once; then process list shows its session, and a notice reports its end.`,
      ),
      details: {
        status: 'approval-pending',
        approvalId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/u) as string,
        approvalSlug: (details['approvalId'] as string).slice(0, 8),
        expiresAtMs: anyNumber,
        host: 'gateway',
        command: 'ls -la',
        cwd: folder,
        sandbox: false,
        reason: '/usr/bin/ls is not on the allowlist',
      },
    });
  });

  it.each([
    [
      'ls; id',
      'chaining',
      { start: 2, end: 3 },
      'the command was not run: ; chains commands, and only single pipelines are run without asking',
      'run one command at a time, each with its own call',
    ],
  ])('refuses %s where no person is asked', async (command, rule, at, message, hint) => {
    const { exec } = await runningTools({ tools: { exec: { host: 'gateway', ask: 'off' } } });
    expect(await exec({ command })).toEqual({
      content: text(`${message}\n${hint}`),
      details: { status: 'denied', code: 'EXEC_DENIED', reason: 'allowlist-miss', sandbox: false, hint, rule, at },
      isError: true,
      error: message,
    });
  });

  it('runs safe bins without approval', async () => {
    const { exec } = await runningTools(gatewayHost);
    expect((await exec({ command: 'wc -c | tr 0 o' })).details).toMatchObject({
      status: 'completed',
      aggregated: 'o\n',
    });
  });

  it('lets a call be stricter, but never less strict', async () => {
    const { exec } = await runningTools(gatewayHost);
    const strict = await exec({ command: 'wc -c', security: 'deny' });
    const lenient = await exec({ command: 'ls', security: 'full', ask: 'off' });
    expect([strict.details['status'], strict.details['reason'], lenient.details['status']]).toEqual([
      'denied',
      'security=deny',
      'approval-pending',
    ]);
  });

  it('denies all commands of an agent without the tool', async () => {
    const { exec } = await runningTools({ tools: { deny: ['exec'] } });
    expect(await exec({ command: 'ls' })).toEqual({
      content: text('the tool exec is denied by tools.deny or tools.allow'),
      details: { status: 'denied', code: 'EXEC_DENIED', reason: 'tool-denied', sandbox: false },
      isError: true,
      error: 'the tool exec is denied by tools.deny or tools.allow',
    });
  });
});

/** An object within an object, so many times. */
function nested(depth: number): unknown {
  let value: unknown = {};
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

describe('an invalid call of exec', () => {
  const SENSELESS = [
    [{}, 'PARAM_MISSING', 'exec: the parameter command (also called cmd) is missing'],
    [{ command: '' }, 'PARAM_MISSING', 'exec: the parameter command (also called cmd) is missing'],
    [{ command: ' \n' }, 'EXEC_COMMAND_EMPTY', 'there is no command to run'],
    [{ command: 'a\0b' }, 'EXEC_COMMAND_INVALID', 'the command contains a NUL character'],
    [{ command: '/approve 1 allow-once' }, 'EXEC_COMMAND_INVALID', '/approve is a message to pincer, not a program'],
    [{ command: ['ls'] }, 'PARAM_INVALID', 'exec: command must be a string, not an array'],
    [{ command: 'ls', env: { PORT: 1 } }, 'PARAM_INVALID', 'exec: env.PORT must be a string, not 1'],
    [{ command: 'ls', env: { A: nested(100_000) } }, 'PARAM_INVALID', 'exec: env.A must be a string, not an object'],
    [{ command: 'ls', env: 'A=1' }, 'PARAM_INVALID', 'exec: env must be an object, not "A=1"'],
    [{ command: 'ls', timeout: -1 }, 'PARAM_INVALID', 'exec: timeout must be a number of at least 0, not -1'],
    [{ command: 'ls', yieldMs: '5' }, 'PARAM_INVALID', 'exec: yieldMs must be a number, not "5"'],
    [{ command: 'ls', host: 'moon' }, 'PARAM_INVALID', 'exec: host must be one of sandbox, gateway, node, not "moon"'],
    [
      { command: 'ls', security: 'none' },
      'PARAM_INVALID',
      'exec: security must be one of deny, allowlist, full, not "none"',
    ],
    [{ command: 'ls', ask: 'never' }, 'PARAM_INVALID', 'exec: ask must be one of off, on-miss, always, not "never"'],
    [
      { command: 'ls', cmd: 'id' },
      'PARAM_CONFLICT',
      'exec: command and cmd are the same parameter with different values',
    ],
    [{ command: 'ls', sudo: true }, 'PARAM_UNKNOWN', 'exec has no parameter "sudo"'],
    [{ command: 'ls', host: 'node', node: 'mac-1' }, 'NODE_NONE_PAIRED', 'there is no paired node "mac-1" to run on'],
  ] as const;

  it('is refused with the name of the parameter', async () => {
    const { exec } = await runningTools();
    const answers = [];
    for (const [input] of SENSELESS) {
      const { details, error } = await exec(input);
      answers.push([input, details['code'], error]);
    }
    expect(answers).toEqual(SENSELESS);
  });

  it('fails with the name of a missing folder', async () => {
    const { exec, folder } = await runningTools();
    expect(await exec({ command: 'ls', workdir: 'nope' })).toEqual({
      content: text(`folder not found: ${folder}/nope\ncreate the folder first, or choose another workdir`),
      details: {
        status: 'failed',
        code: 'EXEC_WORKDIR_MISSING',
        workdir: `${folder}/nope`,
        hint: 'create the folder first, or choose another workdir',
      },
      isError: true,
      error: `folder not found: ${folder}/nope`,
    });
  });

  it('may not set variables that decide which code runs', async () => {
    const { exec } = await runningTools({ tools: { exec: { host: 'gateway' } } });
    for (const name of ['PATH', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES'])
      expect(await exec({ command: 'ls', env: { [name]: '/tmp' } })).toMatchObject({
        details: { status: 'failed', code: 'EXEC_ENV_REFUSED' },
        error: expect.stringMatching(new RegExp(`^env\\.${name} is refused: `, 'u')) as string,
      });
  });

  it('fails without a gateway', async () => {
    const files = localFiles({ cwd: makeFolder(), stateDir: makeFolder(), durable: false });
    expect(await callTool([execTool], 'exec', { command: 'ls' }, { files })).toMatchObject({
      details: { status: 'failed', code: 'EXEC_UNAVAILABLE' },
      error: 'these tools have no gateway to run commands',
    });
  });
});
