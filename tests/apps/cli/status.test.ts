import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Status } from '../../../src/apps/cli/status/gather-status.ts';
import { servingIn } from '../../../src/apps/serve/serving-file.ts';
import { version } from '../../../package.json';
import { daemonPlace, runProgram } from '../../support/daemon.ts';
import { makeFolder } from '../../support/folder.ts';
import { callTool, pincer } from '../../support/pincer.ts';
import { whyNoBubblewrap } from '../../support/sandbox.ts';

const why = await whyNoBubblewrap();
const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'pincer.cjs');

describe('pincer status', () => {
  it('starts nothing, and tells which rules hold in a folder and from where', async () => {
    const place = daemonPlace();
    const folder = makeFolder({
      'pincer.jsonc': '{ "tools": { "exec": { "ask": "always" } }, "colour": 1 }',
      '.mcp.json': '{ "mcpServers": { "pincer": { "command": "pincer", "args": ["mcp"] } } }',
    });
    const { code, stdout } = await runProgram(PROGRAM, place, ['status', '--workspace', folder]);
    const told = JSON.parse(stdout) as Status;
    expect(code).toBe(0);
    expect(told).toMatchObject({
      version,
      node: process.versions.node,
      stateDir: place.stateDir,
      folder,
      agent: 'main',
      daemon: { running: false },
      sessions: [],
      approvals: [],
      policy: { ask: 'always', from: { security: 'default' } },
      clients: [{ client: 'claude-code', scope: 'project', part: 'server', path: join(folder, '.mcp.json') }],
    });
    expect(told.config.files.filter(({ exists }) => exists)).toEqual([
      { layer: 'project', path: join(folder, 'pincer.jsonc'), exists: true },
    ]);
    expect(told.config.problems).toMatchObject([
      { message: expect.stringContaining('colour') },
      { message: expect.stringContaining('tools.exec.ask always has no effect with host sandbox') },
    ]);
    expect((await runProgram(PROGRAM, place, ['daemon', 'status'])).code).toBe(1);
  });

  it.skipIf(why !== undefined)('reports that file tools run in a sandbox if only commands fail', () => {
    const settings = { sandbox: { mode: 'all' }, tools: { exec: { host: 'node' } } };
    const folder = makeFolder({ 'ws/a.txt': 'one\n', 'home/.config/pincer/pincer.jsonc': JSON.stringify(settings) });
    onTestFinished(() => void pincer(folder, ['daemon', 'stop', '--force']));
    expect(callTool(folder, 'read', { path: 'a.txt' }).details).toMatchObject({ sandbox: true });
    const files = 'file tools run in the sandbox (bubblewrap), with the workspace';
    expect(pincer(folder, ['status']).stdout).toContain(files);
    expect(pincer(folder, ['policy', 'explain', '--human', 'ls']).stdout).toContain(files);
  });

  it('fits one screen and escapes control characters', async () => {
    const place = daemonPlace();
    const started = await runProgram(PROGRAM, place, ['exec', '--background', '-c', "sleep 60; : '\u001b[2J'"]);
    expect(started.code).toBe(0);
    const { stdout } = await runProgram(PROGRAM, place, ['status', '--human', '--agent', 'scout']);
    expect(stdout.split('\n').length).toBeLessThan(30);
    expect(stdout).toMatch(/^daemon {5}pid \d+, version \S+, up for 0 min, \d+ MB$/mu);
    expect(stdout).toMatch(/^sessions {3}1 running, 0 finished$/mu);
    expect(stdout).toContain(`${started.stdout.trim()}  you  sleep 60; : '\\u001b[2J'`);
    expect(stdout).toMatch(/^policy {5}for agent scout in /mu);
    expect(stdout).not.toContain('\u001b');
    expect((await runProgram(PROGRAM, place, ['daemon', 'stop', '--force'])).code).toBe(0);
  });

  it('reports an invalid configuration in place of the policy', async () => {
    const place = daemonPlace();
    const folder = makeFolder({ 'pincer.jsonc': '{ "tools": ' });
    const { code, stdout } = await runProgram(PROGRAM, place, ['status', '--workspace', folder]);
    const told = JSON.parse(stdout) as Status;
    expect(code).toBe(0);
    expect(told.policy).toMatchObject({ code: expect.stringMatching(/^CONFIG_/u) });
    expect(told.config.problems).toMatchObject([{ severity: 'error' }]);
  });
});

it('reports an HTTP server while its process runs', () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'serve'));
  const note = (text: string) => {
    writeFileSync(join(folder, 'serve', 'serving.json'), text);
    return servingIn(folder);
  };
  expect(servingIn(folder)).toBeUndefined();
  expect(note(JSON.stringify({ pid: process.pid, start: '', url: 'http://127.0.0.1:7462' }))).toEqual({
    pid: process.pid,
    url: 'http://127.0.0.1:7462',
  });
  expect(note(JSON.stringify({ pid: process.pid, start: 'another', url: 'http://127.0.0.1:7462' }))).toBeUndefined();
  expect([note('{'), note('null'), note('{"pid":1,"start":"","url":""}')]).toEqual([undefined, undefined, undefined]);
});
