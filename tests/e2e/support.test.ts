import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { block, normalised } from '../../e2e/agents/transcript.mjs';
import { CALLS, problemOf } from '../../e2e/calls.mjs';
import { makeChecks } from '../../e2e/support/checks.mjs';
import { runChild } from '../../e2e/support/child.mjs';
import { closeServer, listenOnLoopback } from '../../e2e/support/loopback.mjs';
import { inPlace, ROOT } from '../../e2e/support/place.mjs';
import { startTokenProxy } from '../../e2e/token-proxy.mjs';
import { isAlive } from '../../src/hosts/files/locks/owner.ts';
import { until, withEnoughTime } from '../support/patience.ts';

describe('a transcript', () => {
  it('tells nothing of the machine, the time and the run', async () => {
    const lines = await inPlace('transcript', async (place) =>
      normalised(
        [
          join(place.workspace, 'a.txt'),
          join(place.home, '.codex'),
          join(ROOT, 'dist'),
          'http://127.0.0.1:41235/v1',
          '{"durationMs":39,"expiresAtMs": 1794000000000}',
          'id 0191e2f1-48af-7c90-a1e3-6474d804fdfc at 2026-01-02T03:04:05.678Z',
          'pincer approvals allow 1a2b3c4d, session brisk-willow',
          '\u001b[31mred\u001b[0m   ',
        ].join('\n'),
        place,
      ).split('\n'),
    );
    expect(lines).toEqual([
      '/home/me/project/a.txt',
      '/home/me/.codex',
      '/home/me/pincer/dist',
      'http://127.0.0.1:PORT/v1',
      '{"durationMs":0,"expiresAtMs": 0}',
      'id ID at TIME',
      'pincer approvals allow SLUG, session SESSION',
      'red',
    ]);
  });

  it('puts a fence around a text that no fence in the text can end', () => {
    expect(block('a\n```\nb\n')).toBe('````\na\n```\nb\n````');
  });
});

describe('the check of a call', () => {
  const call = CALLS.find(({ tool }) => tool === 'exec');
  const good = { status: 'completed', exitCode: 0, text: 'BY A PATCH' };
  const text = (said: string) => [{ type: 'text', text: said }];

  it.each([
    ['what is right', { content: text('BY A PATCH'), structuredContent: good }, undefined],
    ['an error', { content: text('BY A PATCH'), structuredContent: good, isError: true }, /^an error/u],
    ['another text', { content: text('by a patch'), structuredContent: good }, /^the text is "by a patch"/u],
    ['no data', { content: text('BY A PATCH') }, /^there is no structuredContent/u],
    ['data without the text', { content: text('BY A PATCH'), structuredContent: { status: 'completed' } }, /without/u],
    ['another value', { content: text('BY A PATCH'), structuredContent: { ...good, exitCode: 1 } }, /^exitCode is 1/u],
  ])('answers for %s', (_, result, expected) => {
    if (call === undefined) throw new Error('exec is not called');
    const problem = problemOf(call, result);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(expected);
  });
});

describe('the proxy with the token', () => {
  it('adds the token, and passes Host, method, body and status on', async () => {
    const server = createServer((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => (body += chunk));
      incoming.on('end', () => {
        const { host, authorization, origin } = incoming.headers;
        response.writeHead(418).end(JSON.stringify({ method: incoming.method, host, authorization, origin, body }));
      });
    });
    const port = await listenOnLoopback(server);
    const proxy = await startTokenProxy(`http://127.0.0.1:${port}/mcp`, 'secret');
    const headers = { host: 'evil.example', origin: 'http://evil.example' };
    const answer = await new Promise((done, failed) => {
      const sent = request(proxy.url, { method: 'POST', headers }, (response) => {
        let body = '';
        response.on('data', (chunk) => (body += chunk));
        response.on('end', () => done({ status: response.statusCode, ...(JSON.parse(body) as object) }));
      });
      sent.on('error', failed).end('ping');
    });
    await proxy.close();
    await closeServer(server);
    const passed = { method: 'POST', ...headers, body: 'ping' };
    expect(answer).toEqual({ ...passed, status: 418, authorization: 'Bearer secret' });
  });
});

describe('a child with a clock', () => {
  it('ends with all that it started when its time is up', async () => {
    const ended = await withEnoughTime(
      (timeoutMs) => runChild('sh', ['-c', 'sleep 60 & echo $!; wait'], { timeoutMs }),
      ({ stdout }) => stdout !== '',
      200,
    );
    expect({ late: ended.late, code: ended.code }).toEqual({ late: true, code: null });
    const sleeper = Number(ended.stdout);
    expect(sleeper).toBeGreaterThan(1);
    await until(() => !isAlive({ pid: sleeper, start: '' }), 'the end of what it started');
  });
});

describe('the counts', () => {
  it('have what failed', async () => {
    const checks = makeChecks();
    expect(await checks.check('one that holds', () => Promise.resolve())).toBe(true);
    expect(await checks.check('one that does not', () => Promise.reject(new Error('why')))).toBe(false);
    checks.skip('one that is left out', 'for a reason');
    expect(checks.counts).toEqual({ passed: 1, failed: 1, skipped: 1 });
  });
});
