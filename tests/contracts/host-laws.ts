/** What every host holds: this machine, a sandbox of any technology, and a node. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../../src/wire/exec.ts';
import { ended, output, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };

/** A gateway whose requests go to the host under test, with these settings beside those that choose the host. */
export type MakeHost = (more?: ConfigFile) => Promise<TestGateway>;

export interface HostFacts {
  /** Why the laws cannot be tried here. */
  readonly trouble?: string | undefined;
  /** What a session on this host says about itself. */
  readonly session: { readonly host: 'gateway' | 'sandbox' | 'node'; readonly sandbox?: true };
}

export function hostLaws(name: string, make: MakeHost, { trouble, session }: HostFacts): void {
  const reason = trouble === undefined ? '' : ` (not run: ${trouble})`;
  describe.skipIf(trouble !== undefined)(`a host: ${name}${reason}`, () => {
    const run = async (request: ExecRequest, context?: Partial<ExecContext>): Promise<ExecOutcome> =>
      (await make()).exec(request, context);

    test('returns output in the order of writing, and the exit code', async () => {
      const outcome = await run({ command: 'echo one; echo two >&2; echo three; exit 3' });
      expect(outcome).toMatchObject({
        status: 'completed',
        session: { ...session, exitCode: 3, status: 'completed' },
        output: { text: 'one\ntwo\nthree\n' },
        warnings: [],
      });
    });

    test('runs pipelines, and returns the exit code of the last program', async () => {
      const outcome = await run({ command: "printf 'b\\na\\n' | sort | head -n 1 | grep a" });
      expect(outcome).toMatchObject({ status: 'completed', session: { exitCode: 0 }, output: { text: 'a\n' } });
      expect(await run({ command: 'echo x | grep y' })).toMatchObject({ session: { exitCode: 1 } });
    });

    test('starts in the working folder, which the agent names from its workspace', async () => {
      const host = await make();
      mkdirSync(join(host.folder, 'sub'));
      const text = output(await host.exec({ command: 'basename "$(pwd)"', workdir: 'sub' }));
      expect(text).toBe('sub\n');
    });

    test('refuses an empty command, a NUL in one, and a message to pincer', async () => {
      const host = await make();
      const codes = await Promise.all(
        [{ command: ' ' }, { command: 'a\0b' }, { command: '/approve x' }].map(codeOfFault(host)),
      );
      expect(codes).toEqual(['EXEC_COMMAND_EMPTY', 'EXEC_COMMAND_INVALID', 'EXEC_COMMAND_INVALID']);
      expect(await host.gateway.call('session.list', { caller })).toEqual([]);
    });

    test('continues in the background, accepts input, and ends with all of its processes', async () => {
      const host = await make();
      const outcome = await host.exec(
        { command: 'sleep 1000 & echo started; cat', background: true },
        { stdin: 'open' },
      );
      const id = outcome.status === 'running' ? outcome.session.id : '';
      expect(outcome).toMatchObject({ status: 'running', session: { ...session, backgrounded: true } });
      await host.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'hello\n' } });
      await until(async () => (await logOf(host, id)).includes('hello'), 'the echo of the input');
      await host.gateway.call('session.kill', { caller, sessionId: id });
      expect(await ended(host, id)).toMatchObject({ status: 'failed', failure: 'killed' });
      expect((await host.gateway.call('session.list', { caller }))[0]?.leftovers ?? []).toEqual([]);
    });

    test('has a terminal where one is asked for', async () => {
      const outcome = await run(
        { command: 'tty >/dev/null && stty size', pty: true },
        { size: { cols: 77, rows: 11 } },
      );
      expect(outcome).toMatchObject({ status: 'completed', session: { exitCode: 0, pty: { cols: 77, rows: 11 } } });
      expect(output(outcome).trim()).toBe('11 77');
    });

    test('ends a command after its timeout, and one whose call is aborted', async () => {
      const late = await run({ command: 'sleep 1000', timeout: 0.2 });
      expect(late).toMatchObject({ status: 'failed', session: { failure: 'timeout' } });
      const host = await make();
      const abort = new AbortController();
      const context: ExecContext = { caller, folder: host.folder, environment: { PATH: '/usr/bin:/bin' }, ticket: 't' };
      const call = host.gateway.call('exec.start', { request: { command: 'sleep 1000' }, context }, abort.signal);
      await host.gateway.call('session.started', { caller, ticket: 't' });
      abort.abort();
      expect(await call).toMatchObject({ status: 'failed', session: { failure: 'aborted' } });
    });

    test('records the start before the end, under the same session', async () => {
      const host = await make();
      await host.exec({ command: 'echo recorded' });
      // Where several gateways may report an end, one claims it after the answer.
      await until(async () => (await decidedBy(host)).length > 1, 'the record of the end');
      const own = (await decidedBy(host)).filter(({ command }) => command === 'echo recorded');
      expect(own.map(({ event }) => event)).toEqual(['started', 'ended']);
      expect(new Set(own.map(({ sessionId }) => sessionId)).size).toBe(1);
    });

    test('explains what it would do, and starts nothing', async () => {
      const host = await make();
      const context: ExecContext = { caller, folder: host.folder, environment: { PATH: '/usr/bin:/bin' } };
      const { judgement, effective } = await host.gateway.call('policy.explain', {
        request: { command: 'echo x > made' },
        context,
      });
      expect({ verdict: judgement.verdict, host: effective.host }).toEqual({ verdict: 'allow', host: session.host });
      expect(await host.gateway.call('session.list', { caller })).toEqual([]);
      expect(await decidedBy(host)).toEqual([]);
    });

    test('runs nothing where the tool exec is denied', async () => {
      const host = await make({ tools: { deny: ['exec'] } });
      expect(await host.exec({ command: 'true' })).toMatchObject({ status: 'denied', reason: 'tool-denied' });
      expect(await decidedBy(host)).toEqual([]);
    });
  });
}

/** What the audit log has about commands. */
async function decidedBy({ gateway }: TestGateway) {
  return (await gateway.call('audit.list', {})).filter(({ event }) => event !== 'node');
}

function codeOfFault(host: TestGateway): (request: ExecRequest) => Promise<string> {
  return async (request) => {
    try {
      await host.exec(request);
      return 'no fault';
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return error.code;
    }
  };
}

async function logOf({ gateway }: TestGateway, sessionId: string): Promise<string> {
  return (await gateway.call('session.log', { caller, sessionId })).text;
}
