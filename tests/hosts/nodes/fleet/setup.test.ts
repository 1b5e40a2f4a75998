import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { readClaims } from '../../../../src/hosts/nodes/fleet/claims.ts';
import { nodeToken, readNatsCredentials } from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { setUpNats } from '../../../../src/hosts/nodes/fleet/setup.ts';
import { makeFolder } from '../../../support/folder.ts';

const fileIn = (name: string): string => join(makeFolder(), name);

const NOW = 1_700_000_000_000;

describe('the setup of NATS', () => {
  it('writes private files, once', () => {
    const folder = fileIn('nats');
    const files = setUpNats({ folder, servers: 'nats://127.0.0.1:4222', now: NOW });
    expect(readdirSync(folder).sort()).toEqual(['gateway.json', 'keys.json', 'other-gateways.json', 'server-1.conf']);
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual(Array(4).fill(0o600));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const before = readFileSync(files.creds, 'utf8');
    expect(() => setUpNats({ folder, servers: 'nats://127.0.0.1:4222', now: NOW })).toThrow('is not empty');
    expect(readFileSync(files.creds, 'utf8')).toBe(before);
  });

  it('gives the keys that revoke nodes to one gateway only', () => {
    const files = setUpNats({ folder: fileIn('nats'), servers: 'nats://127.0.0.1:4222', now: NOW });
    expect(readNatsCredentials(files.creds).admin).toBeDefined();
    const other = readNatsCredentials(files.otherCreds);
    expect([other.admin, other.account]).toEqual([undefined, readNatsCredentials(files.creds).account]);
  });

  it('connects several servers by routes with a password', () => {
    const servers = 'tls://a.example:4222,tls://b.example:4222,tls://c.example:4222';
    const tls = { cert: '/etc/cert.pem', key: '/etc/key.pem' };
    const files = setUpNats({ folder: fileIn('nats'), servers, tls, store: '/var/lib/nats', now: NOW });
    const second = readFileSync(files.servers[1]!.config, 'utf8');
    expect(second).toContain('server_name: pincer-2\nlisten: "b.example:4222"');
    expect(second.match(/nats-route:\/\/pincer:[0-9a-f]{48}@[ac]\.example:6222/gu)).toHaveLength(2);
    expect(second.match(/tls \{ cert_file: "\/etc\/cert.pem", key_file: "\/etc\/key.pem" \}/gu)).toHaveLength(2);
    expect(second).toContain('store_dir: "/var/lib/nats/jetstream"');
  });

  it.each([
    ['nats://192.0.2.1:4222', 'NODE_INSECURE'],
    ['nats://user:secret@127.0.0.1:4222', 'NODE_INSECURE'],
    ['http://127.0.0.1', 'NODE_INSECURE'],
    ['nats://127.0.0.1:4222,tls://a.example:4222', 'NODE_INSECURE'],
    ['', 'NODE_INSECURE'],
    ['tls://a.example:4222', 'PARAM_INVALID'],
    ['nats://127.0.0.1:4222,nats://127.0.0.1:63536', 'PARAM_INVALID'],
    ['nats://127.0.0.1:0', 'PARAM_INVALID'],
  ])('refuses %s without a certificate', (servers, code) => {
    const folder = fileIn('nats');
    expect(() => setUpNats({ folder, servers, now: NOW })).toThrow(expect.objectContaining({ code }));
  });
});

it.each([
  ['no JSON', '{'],
  ['no keys', '{}'],
  ['a key with a wrong checksum', JSON.stringify({ account: `A${'A'.repeat(55)}`, accountKey: `SA${'A'.repeat(56)}` })],
])('refuses a credentials file with %s', (_, content) => {
  const path = fileIn('creds.json');
  writeFileSync(path, content, { mode: 0o600 });
  expect(() => readNatsCredentials(path)).toThrow(expect.objectContaining({ code: 'NODE_CREDENTIALS' }));
});

it('refuses a credentials file that other users can read', () => {
  const { creds } = setUpNats({ folder: fileIn('nats'), servers: 'nats://127.0.0.1:4222', now: NOW });
  const path = fileIn('open.json');
  writeFileSync(path, readFileSync(creds), { mode: 0o644 });
  expect(() => readNatsCredentials(path)).toThrow('other users can read');
});

it('gives the nodes of all gateways a token for 90 days', () => {
  const files = setUpNats({ folder: fileIn('nats'), servers: 'nats://127.0.0.1:4222', now: NOW });
  const days = (path: string): number => {
    const claims = readClaims(nodeToken(readNatsCredentials(path), newIdentity(), NOW));
    return (Number(claims?.['exp']) * 1000 - NOW) / 86_400_000;
  };
  expect([days(files.creds), days(files.otherCreds)]).toEqual([90, 90]);
});
