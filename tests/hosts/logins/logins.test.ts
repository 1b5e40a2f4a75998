import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import { loginMethods } from '../../../src/hosts/gateway/login-methods.ts';
import { proofOf } from '../../../src/page/socket/handshake.ts';
import { makeFolder } from '../../support/folder.ts';
import { faultOf } from '../../support/fault.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HANDSHAKE = { origin: 'http://127.0.0.1:7462', port: 7462, pageNonce: 'one', serverNonce: 'two' };

async function logins() {
  const file = join(makeFolder(), 'state', 'gateway.db');
  const clock = { now: 1_000_000_000 };
  const store = await openApprovalStore({ file, now: () => clock.now });
  onTestFinished(() => store.close());
  const methods = loginMethods(store, () => clock.now);
  const logIn = (role: 'viewer' | 'operator' = 'operator') => {
    const used = methods['login.use']({ code: methods['login.link']({ role, by: 'you' }).code, browser: 'Firefox' });
    if (!used.ok) throw new Error('the link was refused');
    return used;
  };
  return { file, clock, store, methods, logIn };
}

describe('a link', () => {
  it('works for ten minutes, and never longer', async () => {
    const { methods, clock } = await logins();
    const late = methods['login.link']({ role: 'operator', by: 'you' });
    const longer = methods['login.link']({ role: 'operator', by: 'you', ttl: 24 * 3600 });
    const shorter = methods['login.link']({ role: 'operator', by: 'you', ttl: 60 });
    expect([late.expiresAt, longer.expiresAt, shorter.expiresAt].map((time) => time - clock.now)).toEqual([
      10 * MINUTE,
      10 * MINUTE,
      MINUTE,
    ]);
    clock.now += MINUTE;
    expect(methods['login.use']({ code: shorter.code })).toEqual({ ok: false });
    clock.now = late.expiresAt - 1;
    expect(methods['login.use']({ code: late.code })).toMatchObject({ ok: true });
    clock.now = longer.expiresAt;
    expect(methods['login.use']({ code: longer.code })).toEqual({ ok: false });
  });

  it('is one of at most 100 that wait', async () => {
    const { methods } = await logins();
    const links = Array.from({ length: 101 }, () => methods['login.link']({ role: 'viewer', by: 'you' }));
    expect(methods['login.use']({ code: links[0]!.code })).toEqual({ ok: false });
    expect(methods['login.use']({ code: links[1]!.code })).toMatchObject({ ok: true });
  });
});

describe('a login', () => {
  it('has a name that no later login gets', async () => {
    const { methods, logIn } = await logins();
    expect([logIn(), logIn('viewer')].map(({ login }) => login.name)).toEqual(['operator-1', 'viewer-2']);
    methods['login.revoke']({ id: 'viewer-2', by: 'you' });
    expect(logIn('viewer').login.name).toBe('viewer-3');
  });

  it('needs the cookie and the key of the same login', async () => {
    const { methods, logIn } = await logins();
    const [one, other] = [logIn(), logIn()];
    const proofs = {
      one: await proofOf('page', one.key, HANDSHAKE),
      other: await proofOf('page', other.key, HANDSHAKE),
    };
    const check = (cookie: string, proof?: string) =>
      methods['login.check']({ cookie, ...(proof === undefined ? {} : { page: { handshake: HANDSHAKE, proof } }) }).ok;
    expect([check(one.cookie, proofs.one), check(one.cookie)]).toEqual([true, true]);
    expect([check(one.cookie, proofs.other), check(other.cookie, proofs.one), check('', proofs.one)]).toEqual([
      false,
      false,
      false,
    ]);
    const [id] = one.cookie.split('.');
    expect([check(`${id}.`, proofs.one), check(`${id}`, proofs.one), check(`${id}.x`)]).toEqual([false, false, false]);
    expect([check(one.cookie, ''), check(one.cookie, one.key), check(one.cookie, `${proofs.one}00`)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is proved by the server to the page that has its key, and never with what a page would send', async () => {
    const { methods, logIn } = await logins();
    const { cookie, key } = logIn();
    expect(methods['login.prove']({ cookie, handshake: HANDSHAKE })).toEqual({
      ok: true,
      proof: await proofOf('server', key, HANDSHAKE),
    });
    expect(await proofOf('server', key, HANDSHAKE)).not.toBe(await proofOf('page', key, HANDSHAKE));
    expect(methods['login.prove']({ cookie: `${cookie}x`, handshake: HANDSHAKE })).toEqual({ ok: false });
  });

  it('ends after 30 days without use, and each use starts them anew', async () => {
    const { methods, logIn, clock } = await logins();
    const { cookie } = logIn();
    for (let uses = 0; uses < 3; uses++) {
      clock.now += 30 * DAY - 1;
      expect(methods['login.check']({ cookie }).ok).toBe(true);
    }
    clock.now += 30 * DAY;
    expect(methods['login.check']({ cookie })).toEqual({ ok: false });
    expect(methods['login.list']({})).toEqual([]);
  });

  it('is revoked by its id or its name, once', async () => {
    const { methods, logIn } = await logins();
    const { login, cookie } = logIn();
    expect(methods['login.revoke']({ id: login.id, by: 'you' })).toMatchObject({ id: login.id });
    expect(methods['login.check']({ cookie })).toEqual({ ok: false });
    expect(faultOf(() => methods['login.revoke']({ id: login.id, by: 'you' })).code).toBe('LOGIN_UNKNOWN');
  });

  it('takes the links that it created with it, and no others', async () => {
    const { methods, logIn } = await logins();
    const { login } = logIn();
    const other = logIn();
    const linkBy = (by: string) => methods['login.link']({ role: 'operator', by }).code;
    const [own, others, terminal] = [linkBy(`page:${login.name}`), linkBy(`page:${other.login.name}`), linkBy('you')];
    methods['login.revoke']({ id: login.id, by: 'you' });
    expect([own, others, terminal].map((code) => methods['login.use']({ code }).ok)).toEqual([false, true, true]);
  });

  it('creates no link after it was revoked, also where its page was checked before', async () => {
    const { methods, logIn } = await logins();
    const { login } = logIn();
    methods['login.revoke']({ id: login.id, by: 'you' });
    const late = () => methods['login.link']({ role: 'operator', by: `page:${login.name}` });
    expect(faultOf(late).code).toBe('LOGIN_UNKNOWN');
  });

  it('takes the logins with it that were created from it, through any number of links, and no others', async () => {
    const { methods, logIn, store } = await logins();
    const createdBy = ({ login }: ReturnType<typeof logIn>, role: 'viewer' | 'operator' = 'operator') => {
      const used = methods['login.use']({ code: methods['login.link']({ role, by: `page:${login.name}` }).code });
      if (!used.ok) throw new Error('the link was refused');
      return used;
    };
    const [one, other] = [logIn(), logIn()];
    const child = createdBy(one);
    const ended = createdBy(child);
    const last = createdBy(ended, 'viewer');
    const otherChild = createdBy(other);
    const kept = methods['login.link']({ role: 'operator', by: `page:${child.login.name}` });
    methods['login.revoke']({ id: ended.login.id, by: `page:${ended.login.name}`, keepCreated: true });
    expect(methods['login.check']({ cookie: last.cookie }).ok).toBe(true);
    methods['login.revoke']({ id: one.login.id, by: 'you' });
    const isValid = ({ cookie }: { readonly cookie: string }) => methods['login.check']({ cookie }).ok;
    expect([one, child, last, other, otherChild].map(isValid)).toEqual([false, false, false, true, true]);
    expect(methods['login.use']({ code: kept.code })).toEqual({ ok: false });
    const revoked = store.auditLog(0, 100).filter(({ details }) => details['action'] === 'revoked');
    expect(revoked.map(({ by, details }) => [by, details['name'], details['createdBy']])).toEqual([
      [`page:${ended.login.name}`, ended.login.name, undefined],
      ['you', one.login.name, undefined],
      ['you', child.login.name, one.login.name],
      ['you', last.login.name, one.login.name],
    ]);
  });

  it('leaves no secret in the file, only hashes', async () => {
    const { methods, logIn, store, file } = await logins();
    const { code } = methods['login.link']({ role: 'operator', by: 'you' });
    const { cookie, key } = logIn();
    store.flush();
    const bytes = `${readFileSync(file, 'latin1')}${readFileSync(`${file}-wal`, 'latin1')}`;
    for (const secret of [code, key, cookie.split('.')[1]!]) expect(bytes).not.toContain(secret);
  });
});
