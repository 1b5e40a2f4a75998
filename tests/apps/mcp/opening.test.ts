import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { describe, expect, test } from 'vitest';
import { assembleTools } from '../../../src/apps/assemble.ts';
import { createMcpFactory } from '../../../src/apps/mcp/factory.ts';
import { greetingOf } from '../../../src/apps/mcp/greeting.ts';
import { listTools } from '../../../src/apps/mcp/list.ts';
import type { McpOptions } from '../../../src/apps/mcp/options.ts';
import { openingExchange } from '../../../src/apps/mcp/stdio/handshake.ts';
import { readOpeningLine } from '../../../src/apps/mcp/stdio/opening-lines.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc, runs } from '../../support/property.ts';

const CLIENT = { name: 'test', version: '1' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };

const initialize = (id: unknown, params: object = HELLO) => ({ jsonrpc: '2.0', id, method: 'initialize', params });
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const list = (id: unknown, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/list',
  ...(params && { params }),
});
const discover = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: META } });

function optionsFor(folder: string): McpOptions {
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.md'), '# A\n');
  const stateDir = join(folder, 'state');
  const toolbox = assembleTools({ workspace, stateDir });
  return {
    toolbox: async () => toolbox,
    setting: { workspace, agent: 'main' },
    posture: async () => 'commands are not judged',
    resources: () => () => undefined,
    stateDir,
    version: '1.2.3',
    log: () => undefined,
  };
}

interface Streams {
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** The messages that came out so far. */
  readonly said: () => readonly unknown[];
  /** Resolves when so many have come out. */
  readonly saying: (count: number) => Promise<void>;
}

function streams(): Streams {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = '';
  let check = (): void => undefined;
  output.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    check();
  });
  const said = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  const saying = (count: number) =>
    new Promise<void>((resolve) => {
      check = () => void (said().length >= count && resolve());
      check();
    });
  return { input, output, said, saying };
}

const lines = (messages: readonly object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');

/** The opening with what it needs, over streams of its own. */
async function opened(options: McpOptions) {
  const wires = streams();
  const outcome = openingExchange({
    ...wires,
    greeting: await greetingOf(options),
    listTools: async (client) => listTools(await options.toolbox(client), options),
  });
  return { ...wires, outcome };
}

/** What the package says to the same lines. */
async function ofThePackage(options: McpOptions, messages: readonly object[], answers: number) {
  const wires = streams();
  const handle = serveStdio(createMcpFactory(options), {
    transport: new StdioServerTransport(wires.input, wires.output),
  });
  wires.input.write(lines(messages));
  await wires.saying(answers);
  await handle.close();
  return wires.said();
}

async function textOf(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  input.on('data', (piece: Buffer) => (text += piece.toString()));
  input.resume();
  await new Promise((resolve) => input.once('end', resolve));
  return text;
}

describe('the opening of a connection', () => {
  test.each<[string, readonly object[]]>([
    ['the handshake and the list', [initialize(0), initialized, list('two')]],
    ['an older handshake', [initialize(1, { ...HELLO, protocolVersion: '2024-11-05' }), initialized, list(2, {})]],
    [
      'a client with capabilities',
      [
        initialize(1, {
          ...HELLO,
          capabilities: {
            roots: { listChanged: true },
            sampling: {},
            elicitation: { form: {}, url: {} },
            experimental: { some: {} },
            extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
          },
          clientInfo: { ...CLIENT, title: 'Test', description: 'A test.', websiteUrl: 'https://example.org' },
        }),
        list(2),
      ],
    ],
    ['the 2026 era with discovery', [discover(1), list(2, { _meta: META })]],
    ['the 2026 era without', [list(1, { _meta: META })]],
  ])('answers as the package does: %s', async (_name, messages) => {
    const options = optionsFor(makeFolder());
    const { input, said, outcome } = await opened(options);
    input.write(lines(messages));
    const { answered } = (await outcome)!;
    const ids = messages.flatMap((message) => ('id' in message ? [message.id] : []));
    expect(said()).toEqual(await ofThePackage(options, messages, ids.length));
    expect([...answered]).toEqual(ids);
  });

  test('passes all input to the package, byte for byte', async () => {
    const { input, outcome } = await opened(optionsFor(makeFolder()));
    const first = lines([initialize(1), initialized, list(2)]);
    input.write(first.slice(0, 20));
    input.write(`${first.slice(20)}{"jsonrpc":`);
    const { input: rest } = (await outcome)!;
    input.end('"2.0"}\n');
    expect(await textOf(rest)).toBe(`${first}{"jsonrpc":"2.0"}\n`);
  });

  test.each<[string, string]>([
    ['no JSON', 'nonsense\n'],
    ['another request', lines([{ jsonrpc: '2.0', id: 1, method: 'ping' }])],
    ['a list before the handshake', lines([list(1)])],
    ['a version that nobody knows', lines([initialize(1, { ...HELLO, protocolVersion: '1999-01-01' })])],
    ['a client without a name', lines([initialize(1, { ...HELLO, clientInfo: {} })])],
    ['a capability in another form', lines([initialize(1, { ...HELLO, capabilities: { roots: true } })])],
    ['a page of the list', lines([list(1, { cursor: 'x', _meta: META })])],
    ['more than fits', ' '.repeat(70_000)],
  ])('leaves to the package: %s', async (_name, text) => {
    const { input, said, outcome } = await opened(optionsFor(makeFolder()));
    input.end(text);
    const { input: rest, answered } = (await outcome)!;
    expect([await textOf(rest), said(), [...answered]]).toEqual([text, [], []]);
  });

  test('answers the usual requests, and leaves the next one to the package', async () => {
    const { input, said, outcome } = await opened(optionsFor(makeFolder()));
    const text = lines([initialize(1), initialized, { jsonrpc: '2.0', id: 2, method: 'ping' }]);
    input.write(text);
    const { answered } = (await outcome)!;
    expect([said().length, [...answered]]).toEqual([1, [1]]);
  });

  test('does not wait for ever after the handshake', async () => {
    const { input, outcome } = await opened(optionsFor(makeFolder()));
    input.write(lines([initialize(1)]));
    expect([...(await outcome)!.answered]).toEqual([1]);
  });

  test('leaves the list to the package when listing fails', async () => {
    const { input, said, outcome } = await opened({
      ...optionsFor(makeFolder()),
      toolbox: () => Promise.reject(new Error('a broken file of configuration')),
    });
    input.write(lines([initialize(1), list(2)]));
    expect([[...(await outcome)!.answered], said().length]).toEqual([[1], 1]);
  });

  test.each([
    ['has said nothing', ''],
    ['has heard everything', lines([initialize(1), initialized, list(2)])],
  ])('ends when a client disconnects that %s', async (_name, text) => {
    const { input, outcome } = await opened(optionsFor(makeFolder()));
    input.end(text);
    expect(await outcome).toBeUndefined();
  });

  test('ends when the client stops reading', async () => {
    const { output, outcome } = await opened(optionsFor(makeFolder()));
    output.destroy(new Error('closed'));
    expect(await outcome).toBeUndefined();
  });

  test('reads no line that the package would refuse', async () => {
    const options = optionsFor(makeFolder());
    const member = fc.oneof(fc.constant({}), fc.string(), fc.boolean(), fc.constant(null), fc.constant([]));
    const twisted = fc.tuple(
      fc.constantFrom(initialize(1), list(1), list(1, { _meta: META }), discover(1)),
      fc.constantFrom(
        'id',
        'params',
        'protocolVersion',
        'capabilities',
        'clientInfo',
        'name',
        'version',
        '_meta',
        'more',
      ),
      member,
    );
    await fc.assert(
      fc.asyncProperty(twisted, async ([message, name, value]) => {
        const changed = JSON.parse(JSON.stringify(message), (key, old: unknown) =>
          key === name ? value : old,
        ) as object;
        const read = readOpeningLine(JSON.stringify(changed));
        if (read === undefined || !('id' in read)) return;
        const before = read.kind === 'list' && read.client === undefined ? [initialize('before'), initialized] : [];
        const answers = await ofThePackage(options, [...before, changed], before.length === 0 ? 1 : 2);
        expect(answers.at(-1)).toMatchObject({ id: read.id, result: expect.anything() as unknown });
      }),
      { numRuns: runs(60) },
    );
  });
});
