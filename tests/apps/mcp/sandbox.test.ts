import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNoBubblewrap } from '../../support/sandbox.ts';
import { connect, ERAS, ground, pincer, textIn } from './serving.ts';

const missing = await whyNoBubblewrap();
const ALL = { sandbox: { mode: 'all' } };
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.skipIf(missing !== undefined)('the server for an agent in a sandbox', () => {
  it.each(ERAS)('runs commands and file tools there, in the era %s', async (era) => {
    const at = ground(ALL, { 'main.js': 'function main() {}\n' });
    const { call } = await connect(at, { era });
    const ran = await call('exec', { command: 'pwd; cat /etc/shadow; ls *.js', host: 'sandbox' });
    expect(ran).toMatchObject({ structuredContent: { status: 'completed', cwd: '/workspace', sandbox: true } });
    expect(textIn(ran)).toMatch(/^\/workspace\ncat: \/etc\/shadow: (?:No such|Permission).*\nmain\.js/u);
    expect(await call('read', { path: 'main.js' })).toMatchObject({
      content: [{ type: 'text', text: 'function main() {}\n' }],
      structuredContent: { path: 'main.js', sandbox: true },
    });
    await call('edit', { path: join(at.workspace, 'main.js'), oldText: 'main', newText: 'start' });
    await call('write', { path: 'notes.txt', content: 'one\n' });
    expect(readFileSync(join(at.workspace, 'main.js'), 'utf8')).toBe('function start() {}\n');
    expect(readFileSync(join(at.workspace, 'notes.txt'), 'utf8')).toBe('one\n');
  });

  it('returns an image as an image', async () => {
    const at = ground(ALL);
    writeFileSync(join(at.workspace, 'dot.png'), Buffer.from(DOT, 'base64'));
    const { call } = await connect(at);
    const { content } = await call('read', { path: 'dot.png' });
    expect(content.at(-1)).toMatchObject({ type: 'image', mimeType: 'image/png' });
  });

  it('continues a command in the background, and reports when its sandbox has ended', async () => {
    const at = ground(ALL);
    const { call } = await connect(at);
    const { structuredContent } = await call('exec', { command: 'echo begun; sleep 600', background: true });
    const { sessionId } = structuredContent as { sessionId: string };
    expect(await pincer(at, 'sandbox', 'recreate', '--agent', 'main', '--human')).toMatch(/^ended main-\w+ of main/u);
    const polled = await call('process', { action: 'poll', sessionId, timeout: 5_000 });
    expect(textIn(polled)).toContain('Command was lost: its sandbox ended: it is being recreated');
    expect(textIn(await call('exec', { command: 'echo again' }))).toBe('again');
  });

  it('asks for an elevated command, which then runs on this machine', async () => {
    const at = ground({ ...ALL, tools: { elevated: { enabled: true, allowFrom: { any: ['*'] } } } });
    const { call } = await connect(at, { elicit: () => ({ action: 'accept', content: { decision: 'allow-once' } }) });
    const ran = await call('exec', { command: 'pwd', elevated: true });
    expect(ran.structuredContent).toMatchObject({ status: 'completed', cwd: at.workspace, sandbox: false });
  });

  it('shows no file of this machine as a resource that the sandbox does not have', async () => {
    const at = ground({ sandbox: { mode: 'all', workspaceAccess: 'none' } }, { 'a.txt': 'private\n' });
    const { client } = await connect(at);
    const { resources } = await client.listResources();
    expect(JSON.stringify(resources)).not.toContain('a.txt');
    await expect(client.readResource({ uri: 'oc://a.txt' })).rejects.toThrow('sandbox');
  });
});
