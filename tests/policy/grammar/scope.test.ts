import { describe, expect, it } from 'vitest';
import { judge, judgeCall } from '../../../src/policy/judge.ts';
import type { AllowlistEntry, Judgement, Lookup, Rules } from '../../../src/wire/policy.ts';
import { machine, rules } from '../machine.ts';

function judged(command: string, parts: Partial<Rules> = {}, cwd = '/home/u', known: Partial<Lookup> = {}): Judgement {
  return judge(command, rules({ starter: 'read', ...parts }), { ...machine(), ...known }, cwd);
}

describe('starter=read', () => {
  it.each([
    ['cat a.txt', 'starter', 'read'],
    ['cat /usr/share/dict/words', 'starter', 'read'],
    ['cat /etc/os-release', 'starter', 'read'],
    ['cat /etc/passwd', 'read-outside', 'outside'],
    ['cat ../x', 'read-outside', 'outside'],
    ['grep -f /etc/shadow a', 'read-outside', 'outside'],
    ['git diff /etc/passwd /dev/null', 'read-outside', 'outside'],
    ['git log HEAD..main -- src', 'starter', 'read'],
    ['git show HEAD:.env', 'read-secret', 'secret'],
    ['cat .env', 'read-secret', 'secret'],
    ['cat sub/id_rsa', 'read-secret', 'secret'],
    ['cat key.pem', 'read-secret', 'secret'],
    ['git show HEAD:sub/.aws/credentials', 'read-secret', 'secret'],
    ['cat config.json', 'starter', 'read'],
    ['cat src/credentials.ts', 'starter', 'read'],
    ['cat docs/env.md', 'starter', 'read'],
    ['wc --files0-from=x', 'profile-option', 'unknown'],
    ["sed '1e id' a", 'inline-code', 'inline-code'],
    ['mkdir x', 'allowlist-miss', 'workspace'],
    ['git commit -m x', 'allowlist-miss', 'git-local'],
    ['anything', 'allowlist-miss', 'unknown'],
    ['ls; ls', 'chaining', 'syntax'],
    ['env ls', 'allowlist-miss', undefined],
    ['timeout 5 ls', 'starter', 'read'],
  ])('judges %s: %s', (command, code, risk) => {
    const judgement = judged(command);
    expect({ code: judgement.code, risk: judgement.risk }).toEqual({ code, risk });
  });

  it.each([
    ['cat a | wc -l', 'starter'],
    ['cat a | git log -1', 'starter'],
    ['cat a | git --version', 'starter'],
    ['cat a | go version', 'profile-input'],
  ])('judges the input of %s: %s', (command, code) => {
    expect(judged(command).code).toBe(code);
  });

  it.each(
    [
      '.aws/credentials .aws/config .docker/config.json .kube/config .config/gh/hosts.yml .claude/.credentials.json',
      '.codex/auth.json .bash_history .zsh_history .vault-token prod.env .htpasswd a.ppk a.kdbx terraform.tfstate',
      'credentials.json service-account.json service_account_prod.json .cargo/credentials.toml .gnupg/a/b _netrc',
    ].flatMap((line) => line.split(' ')),
  )('asks for %s, which usually contains a secret', (file) => {
    expect([judged(`cat ${file}`).code, judged(`cat sub/${file}`).code]).toEqual(['read-secret', 'read-secret']);
  });

  it('gives no program in another shell what only exec adds, and no nohup, which may write a file there', () => {
    const foreign = { builtins: new Set<string>() };
    const codes = ['npm ls', 'nohup ls', 'nice ls'].map((command) => [
      judge(command, rules({ starter: 'read' }), machine(), '/home/u').code,
      judge(command, rules({ starter: 'read' }), machine(), '/home/u', foreign).code,
    ]);
    expect(codes).toEqual([
      ['starter', 'allowlist-miss'],
      ['starter', 'allowlist-miss'],
      ['starter', 'starter'],
    ]);
  });

  it.each(['nohup ls', 'timeout 5 nohup ls', "find . -exec nohup ls {} ';'"])(
    'asks for %s with a terminal, where nohup writes a file',
    (command) => {
      const call = { command, unlisted: [] };
      const codes = [false, true].map(
        (pty) => judgeCall({ ...call, pty }, rules({ starter: 'read' }), machine(), '/home/u').code,
      );
      expect(codes).toEqual(['starter', 'interactive']);
    },
  );

  it('does not cover a program outside of the system folders', () => {
    expect(judged('/opt/ls').code).toBe('allowlist-miss');
  });

  it('asks where links in a folder lead out', () => {
    const leadsOut = () => 'x leads out of the workspace';
    const codes = ['grep -R x .', 'grep -r x .', 'find -L .', 'ls -L'].map(
      (command) => judged(command, {}, '/home/u', { leadsOut }).code,
    );
    expect(codes).toEqual(['read-outside', 'starter', 'read-outside', 'read-outside']);
  });

  it('asks in a folder outside of the workspace', () => {
    expect(judged('ls', {}, '/srv').code).toBe('read-outside');
  });

  it('reads in folders that a person has allowed, except for secrets', () => {
    const allowlist: readonly AllowlistEntry[] = [{ pattern: '/srv', access: 'read' }];
    const codes = ['cat /srv/a', 'cat /srv/.env', 'cat /srvx'].map((command) => judged(command, { allowlist }).code);
    expect(codes).toEqual(['starter', 'read-secret', 'read-outside']);
  });

  it('covers nothing without the setting', () => {
    expect(judged('ls', { starter: 'none' }).code).toBe('allowlist-miss');
  });
});

describe('an entry for a program with a profile', () => {
  const covered = (command: string, entry: Partial<AllowlistEntry>): boolean =>
    judged(command, { starter: 'none', allowlist: [{ pattern: '/usr/bin/git', ...entry }] }).verdict === 'allow';

  it.each<[string, Partial<AllowlistEntry>, boolean]>([
    ['git log', {}, true],
    ['git diff /etc/passwd /dev/null', {}, true],
    ['git commit -m x', {}, true],
    ['git push origin main', {}, false],
    ['git log --outp=x', {}, false],
    ['git push origin main', { args: ['push'] }, true],
    ['git push --ex=x', { args: ['push'] }, false],
    ['git commit -m x', { class: 'git-local' }, true],
    ['git log', { class: 'git-local' }, false],
    ['git commit -F /etc/passwd', { class: 'git-local' }, false],
  ])('%s with %j is covered: %s', (command, entry, expected) => {
    expect(covered(command, entry)).toBe(expected);
  });

  it('counts no settings that only exec adds where another shell runs the command', () => {
    const allowlist = [{ pattern: '/usr/bin/go' }];
    const of = (isForeign: boolean) =>
      judge('go version', rules({ allowlist }), machine(), '/home/u', isForeign ? { builtins: new Set() } : undefined)
        .verdict;
    expect([of(false), of(true)]).toEqual(['allow', 'ask']);
  });

  it('gets the variables of its profile', () => {
    const { plan } = judged('go version', { allowlist: [{ pattern: '/usr/bin/go' }] });
    expect(plan?.stages[0]?.env).toMatchObject({ GOTOOLCHAIN: 'local' });
  });
});

describe('xargs and find -exec', () => {
  it.each([
    ['ls | xargs grep x', 'allow'],
    ['find . -name x | sort | xargs wc -l', 'allow'],
    ['find . -type f -exec grep -l x {} +', 'allow'],
    ['cat names | xargs grep x', 'ask'],
    ['ls | sed s,^,/etc/, | xargs cat', 'ask'],
    ['ls | grep -o x | xargs cat', 'ask'],
    ['ls | xargs rm', 'ask'],
    ['ls | xargs sort', 'ask'],
    ['ls | xargs sh -c id', 'ask'],
    ['find . -exec xargs xargs xargs xargs xargs ls {} ;', 'deny'],
  ])('%s: %s', (command, verdict) => {
    expect(judged(command.replace(' ;', " ';'")).verdict === 'allow').toBe(verdict === 'allow');
  });

  it('start the program that was judged', () => {
    const { plan } = judged('ls | xargs grep x');
    expect(plan?.stages[1]).toMatchObject({
      argv: ['xargs', '/usr/bin/grep', 'x'],
      starts: [{ real: '/usr/bin/grep' }],
    });
  });
});
