/** What npm obeys in a project's settings, where it runs as its profile says. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { profileOf } from '../../../src/policy/profiles/index.ts';
import { makeFolder } from '../../support/folder.ts';

const run = promisify(execFile);

test('npm asks no registry, writes nothing, and reads no settings that a project names', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const outside = makeFolder({ secret: 'canary-of-secret=1\n', 'etc/npmrc': 'canary-of-prefix=1\n' });
  const home = makeFolder();
  const settings = [
    `registry=http://127.0.0.1:${port}/\${HOME}/`,
    `cache=${outside}/cache`,
    `logs-dir=${outside}/logs`,
    'logs-max=10',
    'timing=true',
    'update-notifier=true',
    'offline=false',
    `prefix=${outside}`,
    `userconfig=${outside}/secret`,
  ];
  const cwd = makeFolder({ '.npmrc': settings.join('\n'), 'package.json': '{"name":"x","version":"1.0.0"}' });
  const env = { PATH: process.env['PATH'], HOME: home, ...profileOf('npm')?.subcommands?.['root']?.forced?.env };
  const { stdout, stderr } = await run('npm', ['root'], { cwd, env });
  server.close();
  expect(stdout).toBe(`${join(cwd, 'node_modules')}\n`);
  expect(stderr).not.toContain('canary');
  expect({ requests, outside: readdirSync(outside).toSorted(), home: readdirSync(home) }).toEqual({
    requests: [],
    outside: ['etc', 'secret'],
    home: [],
  });
});
