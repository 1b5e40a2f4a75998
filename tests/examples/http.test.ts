import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pincer } from '../../examples/http/client.mjs';
import { makeHome, startServer } from '../apps/serve/serving.ts';

async function serving() {
  const home = makeHome();
  onTestFinished(() => home.remove());
  const running = await startServer(home);
  onTestFinished(async () => void (await running.end()));
  const { said, token } = running;
  return { home, server: pincer({ url: said['url'] as string, token }), url: said['url'] as string };
}

describe('the example over plain HTTP', () => {
  it('lists the tools and calls them', async () => {
    const { server, home } = await serving();
    const names = (await server.tools()).map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['read', 'write', 'exec']));
    expect(await server.call('write', { path: 'b.txt', content: 'x' })).toMatchObject({
      content: [{ type: 'text', text: 'Successfully wrote 1 bytes to b.txt' }],
    });
    expect(readFileSync(join(home.workspace, 'b.txt'), 'utf8')).toBe('x');
    expect(await server.call('exec', { command: 'cat b.txt' })).toMatchObject({ details: { aggregated: 'x' } });
  });

  it('tells failures of tools from requests that are none', async () => {
    const { server, url } = await serving();
    expect(await server.call('read', { path: 'nope' })).toMatchObject({
      isError: true,
      details: { code: 'FS_NOT_FOUND' },
    });
    await expect(server.call('nope', {})).rejects.toThrow('404 TOOL_UNKNOWN');
    await expect(server.call('read', {})).rejects.toThrow('422 PARAM_MISSING');
    await expect(pincer({ url, token: 'wrong' }).tools()).rejects.toThrow('401');
  });
});
