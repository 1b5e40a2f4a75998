import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkBinds, reasonAgainst } from '../../../../src/hosts/sandbox/container/binds.ts';
import { faultOf } from '../../../support/fault.ts';
import { makeFolder } from '../../../support/folder.ts';

function context() {
  const folder = makeFolder({
    'home/.ssh/id': '',
    'home/project/a': '',
    'home/.aws/c': '',
    'state/s': '',
    'run/x': '',
    'data/d': '',
  });
  return {
    folder,
    given: { home: join(folder, 'home'), hidden: [join(folder, 'state')], sockets: [join(folder, 'run/docker.sock')] },
  };
}

describe('a bind', () => {
  it.each([
    ['/', 'is the root folder of this machine'],
    ['/etc', 'contains the accounts and keys of this machine'],
    ['/etc/ssl', 'contains the accounts and keys of this machine'],
    ['/proc/1/root', 'exposes the processes of this machine'],
    ['/sys', 'controls the kernel of this machine'],
    ['/dev/shm', 'contains the devices of this machine'],
    ['/boot', 'contains the boot files of this machine'],
    ['/run/docker.sock', 'contains the sockets of this machine'],
    ['/var/run', 'contains the sockets of this machine'],
    ['/var', 'contains /var/run'],
    ['/root', 'is the home folder of a user'],
    ['/home', 'is the home folder of a user'],
    ['/root/.ssh', 'contains keys'],
    ['/root/.config/gcloud/x', 'contains credentials'],
  ])('of %s is refused', (path, why) => {
    expect(reasonAgainst(path, context().given)).toBe(why);
  });

  it.each([
    ['home', 'is the home folder of a user'],
    ['home/.ssh', 'contains keys'],
    ['home/.ssh/id', 'contains keys'],
    ['home/.aws', 'contains credentials'],
    ['home/project', undefined],
    ['state', 'contains files of pincer'],
    ['state/s', 'contains files of pincer'],
    ['.', 'contains files of pincer'],
    ['run', /^gives access to the engine's socket /u],
    ['data', undefined],
  ])('of %s in a folder of this machine', (path, why) => {
    const { folder, given } = context();
    const said = reasonAgainst(join(folder, path), given);
    if (why instanceof RegExp) expect(said).toMatch(why);
    else expect(said).toBe(why);
  });

  it('is checked by its real path', () => {
    const { folder, given } = context();
    symlinkSync('/etc', join(folder, 'data/link'));
    mkdirSync(join(folder, 'data/sub'));
    symlinkSync('../../home', join(folder, 'data/sub/up'));
    const fault = (path: string) =>
      faultOf(() => checkBinds([{ source: join(folder, path), target: '/data', access: 'ro' }], given));
    expect(fault('data/link').message).toContain('contains the accounts and keys of this machine');
    expect(fault('data/sub/up').message).toContain('is the home folder of a user');
    expect(fault('data/nothing').message).toContain('does not exist');
  });

  it.each(['/', '/workspace', '/etc/x', '/proc', '/opt/pincer/bin', '/tmp', '/data/../etc', 'data', '/run/x'])(
    'at %s is refused',
    (target) => {
      const { folder, given } = context();
      const bind = { source: join(folder, 'data'), target, access: 'rw' as const };
      expect(faultOf(() => checkBinds([bind], given))).toMatchObject({
        code: 'SANDBOX_BIND_REFUSED',
        message: expect.stringContaining(`cannot be bound at ${target}`),
      });
    },
  );

  it('of a socket is refused', async () => {
    const { folder, given } = context();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'data/s'), resolve));
    onTestFinished(() => void server.close());
    const bind = { source: join(folder, 'data/s'), target: '/s', access: 'rw' as const };
    expect(faultOf(() => checkBinds([bind], given)).message).toContain('is neither a folder nor a file');
  });

  it('that is allowed has its real source and a normalized target', () => {
    const { folder, given } = context();
    symlinkSync('d', join(folder, 'data/link'));
    expect(checkBinds([{ source: join(folder, 'data/link'), target: '/data//x/', access: 'rw' }], given)).toEqual([
      { source: join(folder, 'data/d'), target: '/data/x', access: 'rw' },
    ]);
  });
});
