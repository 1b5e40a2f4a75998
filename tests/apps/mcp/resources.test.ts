import { linkSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assembleTools, type ToolPolicy } from '../../../src/apps/assemble.ts';
import { listeningOver } from '../../../src/apps/mcp/resources/listening.ts';
import { workspaceResources } from '../../../src/apps/mcp/resources/resources.ts';
import { makeFolder } from '../../support/folder.ts';
import { processorMs } from '../../support/patience.ts';

type Era = 'legacy' | 'modern';

const ERAS: readonly Era[] = ['legacy', 'modern'];

interface Connection {
  readonly client: Client;
  readonly log: readonly string[];
  /** Resolves with the next notice whose method ends so. */
  readonly heard: (method: 'updated' | 'list_changed') => Promise<unknown>;
}

let root = '';
let workspace = '';
const ends: (() => Promise<void>)[] = [];

beforeEach(() => {
  root = makeFolder();
  workspace = join(root, 'workspace');
  mkdirSync(workspace);
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function put(name: string, content: string | Uint8Array = `${name}\n`): void {
  mkdirSync(dirname(join(workspace, name)), { recursive: true });
  writeFileSync(join(workspace, name), content);
}

/** A real client and the servers that the packages make for it, for each era. */
async function connect(era: Era, tools: ToolPolicy = {}): Promise<Connection> {
  const stateDir = join(root, 'state');
  const log: string[] = [];
  const toolbox = assembleTools({ workspace, stateDir, tools });
  const resources = workspaceResources({
    workspace,
    stateDir,
    toolbox: async () => toolbox,
    log: (message) => void log.push(message),
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(
    (context) => {
      const server = new Server(
        { name: 'pincer', version: '0' },
        { capabilities: { resources: { subscribe: true, listChanged: true } } },
      );
      const end = resources.register(server, { era: context.era, lasting: true, toolbox: async () => toolbox });
      return Object.assign(server, { onclose: end });
    },
    { transport: listeningOver(far, resources) },
  );
  const client = new Client(
    { name: 'test', version: '0' },
    { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
  );
  const waiting: { method: string; tell: (params: unknown) => void }[] = [];
  const hear = (method: string, params: unknown): void => {
    for (const one of waiting.splice(0).filter((each) => each.method === method || !waiting.push(each)))
      one.tell(params);
  };
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => hear('updated', params.uri));
  client.setNotificationHandler('notifications/resources/list_changed', () => hear('list_changed', undefined));
  await client.connect(near);
  expect(client.getProtocolEra()).toBe(era);
  ends.push(async () => {
    await client.close();
    await handle.close();
  });
  return { client, log, heard: (method) => new Promise((tell) => void waiting.push({ method, tell })) };
}

async function names(client: Client): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
    expect(page.resources.length).toBeLessThanOrEqual(100);
    found.push(...page.resources.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

async function failure(work: Promise<unknown>): Promise<{ message: string; code: unknown; data: unknown }> {
  const error = await work.then(
    () => {
      throw new Error('it was answered');
    },
    (thrown: unknown) => thrown as { message: string; code: unknown; data: unknown },
  );
  return { message: error.message, code: error.code, data: error.data };
}

describe.each(ERAS)('in the %s era', (era) => {
  test('the files of the workspace are listed with their addresses', async () => {
    put('AGENTS.md', '# Agents\n');
    put('src/a b.ts', 'x');
    const { client } = await connect(era);
    const { resources } = await client.listResources();
    expect(resources).toEqual([
      { uri: 'oc://AGENTS.md', name: 'AGENTS.md', mimeType: 'text/markdown', size: 9 },
      {
        uri: 'oc://%22src/a%20b.ts%22',
        name: 'src/a b.ts',
        description: 'address for the tool path: oc://"src/a b.ts"',
        size: 1,
      },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['oc://{+address}']);
  });

  test.each([
    ['a file', 'oc://AGENTS.md', { mimeType: 'text/markdown', text: '# Agents\r\n\n## Tools\n\n- gh: GitHub CLI\n' }],
    ['a section', 'oc://AGENTS.md/tools', { mimeType: 'text/plain', text: '## Tools\n\n- gh: GitHub CLI\n' }],
    ['a field', 'oc://AGENTS.md/tools/gh/gh', { mimeType: 'text/plain', text: 'GitHub CLI' }],
    ['a value', 'oc://%22conf/a.jsonc%22/limits/perDay', { mimeType: 'text/plain', text: '1.10' }],
    [
      'an address that was never encoded',
      'oc://"conf/a.jsonc"/limits/perDay',
      { mimeType: 'text/plain', text: '1.10' },
    ],
    ['what a client made of it', 'oc://"conf/a.jsonc%22/limits/perDay', { mimeType: 'text/plain', text: '1.10' }],
    ['bytes', 'oc://raw.bin', { mimeType: 'application/octet-stream', blob: 'AP8=' }],
  ])('%s is read by its address', async (_what, uri, content) => {
    put('AGENTS.md', '# Agents\r\n\n## Tools\n\n- gh: GitHub CLI\n');
    put('conf/a.jsonc', '{"limits": {"perDay": 1.10}} // c\n');
    put('raw.bin', Uint8Array.of(0, 255));
    const { client } = await connect(era);
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([{ uri, ...content }]);
  });

  test('a change of a file is sent to its subscribers, also when the file was replaced', async () => {
    put('a.md', 'one\n');
    put('b.md', 'one\n');
    const { client, heard } = await connect(era);
    if (era === 'legacy') await client.subscribeResource({ uri: 'oc://a.md/[preamble]' });
    else {
      const subscription = await client.listen({ resourceSubscriptions: ['oc://a.md/[preamble]'] });
      ends.unshift(() => subscription.close());
      // What the client asked for goes through before its next answer does, and the watch stands with it.
      await client.readResource({ uri: 'oc://a.md' });
    }
    const first = heard('updated');
    put('b.md', 'two\n');
    put('a.md', 'two\n');
    expect(await first).toBe('oc://a.md/[preamble]');
    const second = heard('updated');
    put('new', 'three\n');
    renameSync(join(workspace, 'new'), join(workspace, 'a.md'));
    expect(await second).toBe('oc://a.md/[preamble]');
  });

  test('created and removed files are sent to clients that listed them', async () => {
    put('src/a.ts');
    const { client, heard } = await connect(era);
    if (era === 'modern') {
      const subscription = await client.listen({ resourcesListChanged: true });
      ends.unshift(() => subscription.close());
    }
    expect(await names(client)).toEqual(['src/a.ts']);
    const told = heard('list_changed');
    put('src/b.ts');
    await told;
    expect(await names(client)).toEqual(['src/a.ts', 'src/b.ts']);
  });

  test('an unreadable resource is an error with a reason', async () => {
    put('a.md', '# A\n');
    put('big.txt', 'x'.repeat((1 << 20) + 1));
    put('.env', 'TOKEN=hunter2\n');
    symlinkSync('/etc/hostname', join(workspace, 'way-out.md'));
    const { client } = await connect(era);
    const read = (uri: string) => failure(client.readResource({ uri }));
    // With nothing but the address beside it, this code means that nothing stands there.
    const nothing = -32602;
    expect(await read('oc://b.md')).toEqual({
      code: nothing,
      message: expect.stringContaining('b.md'),
      data: { uri: 'oc://b.md' },
    });
    expect(await read('oc://a.md/nowhere')).toMatchObject({
      code: nothing,
      message: 'resource not found: oc://a.md/nowhere',
    });
    expect(await read('oc://big.txt')).toMatchObject({ code: -32602, data: { code: 'READ_TOO_LARGE' } });
    expect(await read('oc://%22../secret.md%22')).toMatchObject({ data: { code: 'OC_PATH_PARENT_TRAVERSAL' } });
    expect(await read('oc://%22/etc/hostname%22')).toMatchObject({ data: { code: 'OC_PATH_ABSOLUTE_FILE' } });
    expect(await read('oc://way-out.md')).toMatchObject({ data: { code: 'FS_OUTSIDE_WORKSPACE' } });
    expect(await read('file:///etc/hostname')).toMatchObject({ data: { code: 'OC_PATH_MISSING_SCHEME' } });
    expect(await read('oc://.env/anything')).toMatchObject({ code: -32602 });
    expect(await read('oc://a.md/*')).toMatchObject({ code: -32602 });
  });
});

describe('a listing', () => {
  test('comes in pages of a hundred, in the order of names, every file once', async () => {
    const all = Array.from({ length: 250 }, (_, i) => `d${i % 7}/${i % 3 === 0 ? 'deep/' : ''}f${i}.txt`);
    for (const name of all) put(name);
    put('d1.txt');
    put('d1-x/y');
    const { client } = await connect('legacy');
    expect(await names(client)).toEqual([...all, 'd1.txt', 'd1-x/y'].sort());
  });

  test('omits .git, node_modules, links, and ignored files', async () => {
    for (const name of [
      '.git/config',
      'node_modules/a/index.js',
      'dist/a.js',
      'src/a.log',
      'src/keep.log',
      'src/sub/dist/b.js',
      'src/b.ts',
      'src/tmp/c',
      'only/here',
      'src/only/here',
      'docs/x/y/z.pdf',
      'docs/z.pdf',
    ])
      put(name);
    put('.gitignore', '# c\n*.log\n!keep.log\ndist/\n/only\ndocs/**/*.pdf\n');
    put('src/.gitignore', 'tmp\n');
    symlinkSync('b.ts', join(workspace, 'src/link.ts'));
    symlinkSync('/etc', join(workspace, 'etc'));
    const { client } = await connect('legacy');
    expect(await names(client)).toEqual(['.gitignore', 'src/.gitignore', 'src/b.ts', 'src/keep.log', 'src/only/here']);
  });

  test('shows what is in a folder that a deeper .gitignore shows again', async () => {
    put('a/b/c');
    put('.gitignore', 'a/b/\n');
    put('a/.gitignore', '!b/\n');
    const { client } = await connect('legacy');
    expect(await names(client)).toEqual(['.gitignore', 'a/.gitignore', 'a/b/c']);
  });

  test('ends at two thousand files', async () => {
    for (let i = 0; i < 2010; i++) put(`f${String(i).padStart(4, '0')}`, '');
    const { client } = await connect('legacy');
    const listed = await names(client);
    expect([listed.length, listed.at(-1)]).toEqual([2000, 'f1999']);
  });

  test('refuses an invalid cursor', async () => {
    put('a.md');
    const { client } = await connect('legacy');
    for (const cursor of ['x', '', Buffer.from('["a",-1]').toString('base64url')])
      expect(await failure(client.request({ method: 'resources/list', params: { cursor } }))).toMatchObject({
        code: -32602,
        data: { code: 'PARAM_INVALID' },
      });
  });

  test('takes bounded time under rules that were written to take long', async () => {
    put('.gitignore', `${`${'*a'.repeat(90)}b\n`.repeat(400)}**/${'**/'.repeat(30)}x\n`);
    for (let i = 0; i < 100; i++) put(`${'a'.repeat(120)}${i}`, '');
    const { client } = await connect('legacy');
    const begin = processorMs();
    expect((await names(client)).length).toBe(101);
    expect(processorMs() - begin).toBeLessThan(5000);
  });

  test('is empty, and nothing is read, where the operator denies the tool read', async () => {
    put('a.md');
    const { client } = await connect('legacy', { deny: ['read'] });
    expect(await names(client)).toEqual([]);
    expect(await failure(client.readResource({ uri: 'oc://a.md' }))).toMatchObject({
      data: { code: 'TOOL_NOT_OFFERED' },
    });
  });

  test.each(['oc://a.md', 'oc://missing.md'])(
    'of what the operator denies cannot be subscribed to: %s',
    async (uri) => {
      put('a.md');
      const { client } = await connect('legacy', { deny: ['read'] });
      expect(await client.listResourceTemplates()).toEqual({ resourceTemplates: [] });
      expect(await failure(client.subscribeResource({ uri }))).toMatchObject({ data: { code: 'TOOL_NOT_OFFERED' } });
    },
  );

  test('of what the operator denies is not listened to either', async () => {
    put('a.md');
    const { client, log } = await connect('modern', { deny: ['read'] });
    const listening = await client.listen({ resourceSubscriptions: ['oc://a.md'], resourcesListChanged: true });
    await expect
      .poll(() => log)
      .toEqual([expect.stringContaining('oc://a.md is not watched: the tool read is not offered here')]);
    await listening.close();
  });
});

describe('secrets', () => {
  test.each(['.env', 'prod.env', 'harmless.txt'])('are hidden in %s', async (name) => {
    put('.env', 'TOKEN=hunter2\n');
    put('prod.env', 'TOKEN=hunter2\n');
    symlinkSync('.env', join(workspace, 'harmless.txt'));
    const { client } = await connect('legacy');
    const { contents } = await client.readResource({ uri: `oc://${name}` });
    expect(contents).toEqual([
      { uri: `oc://${name}`, mimeType: 'text/plain', text: expect.stringContaining('TOKEN=***') },
    ]);
    expect(JSON.stringify(contents)).not.toContain('hunter2');
  });

  test('stay behind hard links and in the state folder', async () => {
    mkdirSync(join(root, 'state'));
    writeFileSync(join(root, 'state', 'outside'), 'x');
    linkSync(join(root, 'state', 'outside'), join(workspace, 'inside.md'));
    const { client } = await connect('legacy');
    expect(await failure(client.readResource({ uri: 'oc://inside.md' }))).toMatchObject({
      data: { code: 'FS_HARD_LINKED' },
    });
  });
});

describe('subscriptions', () => {
  test('are limited for each connection, and an ended one frees a slot', async () => {
    for (let i = 0; i < 65; i++) put(`f${i}`);
    const { client } = await connect('legacy');
    for (let i = 0; i < 64; i++) await client.subscribeResource({ uri: `oc://f${i}` });
    await client.subscribeResource({ uri: 'oc://f0' });
    expect(await failure(client.subscribeResource({ uri: 'oc://f64' }))).toMatchObject({
      message: 'the limit of 64 watched files is reached; unsubscribe from some of them first',
      data: { code: 'READ_TOO_MANY_WATCHES' },
    });
    await client.unsubscribeResource({ uri: 'oc://f0' });
    expect(await client.subscribeResource({ uri: 'oc://f64' })).toEqual({});
  });

  test('to what does not exist are refused', async () => {
    const { client } = await connect('legacy');
    expect(await failure(client.subscribeResource({ uri: 'oc://b.md' }))).toMatchObject({
      code: -32602,
      data: { uri: 'oc://b.md' },
    });
  });

  test('report a removed file', async () => {
    put('a.md');
    const { client, heard } = await connect('legacy');
    await client.subscribeResource({ uri: 'oc://a.md' });
    const told = heard('updated');
    unlinkSync(join(workspace, 'a.md'));
    expect(await told).toBe('oc://a.md');
  });

  test('of the modern era that fail are logged, and the others stay', async () => {
    put('a.md');
    const { client, heard, log } = await connect('modern');
    const subscription = await client.listen({ resourceSubscriptions: ['oc://none.md', 'nonsense', 'oc://a.md'] });
    await client.readResource({ uri: 'oc://a.md' });
    const told = heard('updated');
    put('a.md', 'two');
    expect(await told).toBe('oc://a.md');
    expect(log).toEqual([
      expect.stringContaining('oc://none.md is not watched: '),
      expect.stringContaining('nonsense is not watched: '),
    ]);
    await subscription.close();
  });
});
