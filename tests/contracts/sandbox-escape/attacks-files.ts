/** Attacks on what a sandbox sees of this machine's files. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { runs } from '../../support/budget.ts';
import type { Arena, Attacks } from './arena.ts';
import { refuses } from './attacks-kernel.ts';
import { openBox, type Box } from './box.ts';

const RACE_ROUNDS = runs(10, 200);
/** The race goes on until the swapping was met once, but not longer. */
const LONGEST_RACE_MS = 90_000;
const SWAPPING =
  'while [ -e racing ]; do mv -T workspace away; ln -sT other workspace; mv -T workspace unused; mv -T away workspace; done';

const isBox = (value: unknown): value is Box => typeof value === 'object' && value !== null && 'sh' in value;

/** Writes to each of these, and says which of them worked. */
export const writeTo = (paths: readonly string[]): string =>
  paths.map((path) => `(: > ${path}) 2>/dev/null && echo "wrote ${path}"`).join('; ');

/** At any depth, and what links with obeyed names lead to. */
async function deepAndLinked(open: Arena['open'], workspace: string): Promise<void> {
  const files = [
    'conf/mcp.json',
    'packages/prod/.claude/settings.json',
    'packages/prod/.npmrc',
    'a/b/.pre-commit-config.yaml',
  ];
  for (const file of files) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), '{}', { mode: 0o666 });
  }
  symlinkSync('conf/mcp.json', join(workspace, '.mcp.json'));
  const box = await open({ workspace });
  const { out } = await box.sh(
    `for f in ${files.join(' ')}; do (echo x > $f) 2>/dev/null && echo wrote; rm -f $f 2>/dev/null && echo removed; done
     (echo x > .mcp.json) 2>/dev/null && echo wrote; for d in conf packages packages/prod a a/b; do mv -T $d away 2>/dev/null && echo moved; done`,
  );
  expect(out).not.toMatch(/^(?:wrote|removed|moved)/mu);
  for (const file of files) expect(readFileSync(join(workspace, file), 'utf8')).toBe('{}');
}

export const fileAttacks: Attacks = {
  async 'root-read-only'({ box }) {
    const places = ['/x', '/etc/x', '/usr/x', '/usr/bin/x', '/bin/sh', '/etc/passwd', '/opt/x', '/opt/pincer/x'];
    const { out } = await box.sh(`${writeTo(places)}; rm -f /etc/passwd && echo removed; touch /etc/group; echo end`);
    expect(out).not.toMatch(/wrote|removed/u);
    expect(out).toMatch(/end\n$/u);
  },

  async 'workspace-rw'({ box }) {
    const { code } = await box.sh('mkdir -p made && echo text > made/file && mv made/file made/moved');
    expect(code).toBe(0);
    expect(readFileSync(join(box.workspace, 'made/moved'), 'utf8')).toBe('text\n');
    expect(statSync(join(box.workspace, 'made/moved')).uid).toBe(statSync(box.workspace).uid);
  },

  async 'workspace-ro'({ open, folder }) {
    const workspace = folder();
    writeFileSync(join(workspace, 'file'), 'kept', { mode: 0o666 });
    const box = await open({ workspace, workspaceAccess: 'ro' });
    const { out } = await box.sh(
      `cat file; ${writeTo(['file', 'new'])}; rm -f file && echo removed; mv file other && echo moved; chmod 777 file && echo changed`,
    );
    expect(out).toMatch(/^kept/u);
    expect(out).not.toMatch(/wrote|removed|moved\n|changed\n/u);
    expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('kept');
  },

  async 'workspace-none'({ open, folder }) {
    const box = await open({ workspace: folder('private'), workspaceAccess: 'none' });
    const { out } = await box.sh('ls -A; echo mine > own; cat own');
    expect(out).toMatch(/mine\n$/u);
    expect(readFileSync(join(box.workspace, 'own'), 'utf8')).toBe('mine\n');
  },

  async 'host-files'({ box, folder }) {
    const outside = folder('outside');
    writeFileSync(join(outside, 'secret'), 'HOST-SECRET', { mode: 0o666 });
    const { out } = await box.sh(
      `cat ${outside}/secret 2>/dev/null; [ -e ${outside} ] && echo there
       find /root /home /srv /mnt /media /boot /sys -mindepth 1 -maxdepth 3 2>/dev/null
       find / -xdev -name secret 2>/dev/null; echo end`,
    );
    expect(out).toBe('end\n');
  },

  async 'host-secrets'({ box, open, folder }) {
    const files = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/shadow-', '/etc/ssh/ssh_host_ed25519_key'];
    const tokens = ['/etc/npmrc', '/etc/pip.conf', '/etc/machine-id', '/root/.ssh/id_rsa', '/run/secrets/token'];
    const workspace = folder();
    const readOnly = await open({ workspace, workspaceAccess: 'ro' });
    for (const each of [box, readOnly]) {
      const { out } = await each.sh(
        `for f in ${[...files, ...tokens].join(' ')}; do [ -s "$f" ] && cat "$f" && echo "READ $f"; done; ls -A /etc/ssl/private; cat /etc/passwd`,
      );
      expect(out).not.toContain('READ');
      // Accounts of this machine that are not in every image.
      const people = readFileSync('/etc/passwd', 'utf8').match(/^[^:\n]+:[^:]*:1\d{3}:/gmu) ?? [];
      for (const person of people) expect(out).not.toContain(person);
    }
  },

  async 'private-tmp'({ box, folder }) {
    const outside = folder('tmp');
    const { out } = await box.sh('ls -A /tmp /var/tmp; echo inside > /tmp/from-inside; df -k /tmp | tail -1');
    expect(out).not.toContain(outside.slice(outside.lastIndexOf('/') + 1));
    expect(readdirSync('/tmp')).not.toContain('from-inside');
  },

  async 'bound-links'({ box, folder }) {
    const outside = folder('outside');
    writeFileSync(join(outside, 'secret'), 'HOST-SECRET', { mode: 0o666 });
    symlinkSync(join(outside, 'secret'), join(box.workspace, 'to-file'));
    symlinkSync(outside, join(box.workspace, 'to-folder'));
    symlinkSync('/proc/1/root', join(box.workspace, 'to-root'));
    symlinkSync('../'.repeat(20) + outside.slice(1), join(box.workspace, 'upward'));
    const { out } = await box.sh(
      `cat to-file to-folder/secret to-root${outside}/secret upward/secret; echo x > to-folder/new`,
    );
    expect(out).not.toContain('HOST-SECRET');
    for (const path of ['to-file', 'to-folder/secret', `to-root${outside}/secret`, 'upward/secret']) {
      const answer = await box.tool('read', { path });
      expect(JSON.stringify(answer)).not.toContain('HOST-SECRET');
      expect(answer.isError ?? answer.details['status']).toBeTruthy();
    }
    await box.tool('write', { path: 'to-folder/new', content: 'x' });
    expect(readdirSync(outside)).toEqual(['secret']);
  },

  async 'hard-links'({ box }) {
    const { out } = await box.sh(
      'ln /etc/passwd linked && echo linked; ln /usr/bin/env linked2 && echo linked; ln /opt/pincer/runner/runner.cjs linked3 && echo linked',
    );
    expect(out).not.toMatch(/^linked$/mu);
  },

  async 'swap-race'({ contender: { backend }, folder }) {
    const parent = folder('race');
    const workspace = join(parent, 'workspace');
    mkdirSync(workspace);
    mkdirSync(join(parent, 'other'));
    writeFileSync(join(workspace, 'mark'), 'right');
    writeFileSync(join(parent, 'other', 'mark'), 'HOST-SECRET');
    // A process of its own, so that it swaps at any moment.
    writeFileSync(join(parent, 'racing'), '');
    const racer = spawn('/bin/sh', ['-c', SWAPPING], { cwd: parent, stdio: 'ignore' });
    const ended = new Promise((resolve) => racer.once('exit', resolve));
    const counts = { opened: 0, refused: 0 };
    try {
      const began = performance.now();
      const isOver = (round: number): boolean =>
        round >= RACE_ROUNDS && (counts.refused > 0 || performance.now() - began > LONGEST_RACE_MS);
      for (let round = 0; !isOver(round); round++) {
        const box = await openBox(backend, { workspace }).catch((error: unknown) => error);
        if (isBox(box)) {
          // Podman makes an empty folder where none is at that moment, which is then the one that stands there.
          expect((await box.sh('cat mark 2>/dev/null || echo empty')).out).toMatch(/^(?:right|empty\n)$/u);
          await box.end();
          counts.opened++;
        } else {
          expect(box).toMatchObject({ code: expect.stringMatching(/^SANDBOX_(?:WORKSPACE_REFUSED|UNAVAILABLE)$/u) });
          counts.refused++;
        }
      }
    } finally {
      rmSync(join(parent, 'racing'));
      await ended;
    }
    expect(counts.refused).toBeGreaterThan(0);
  },

  async 'obeyed-files'({ open, folder }) {
    const workspace = folder();
    mkdirSync(join(workspace, '.vscode'));
    for (const file of ['pincer.jsonc', '.envrc', '.vscode/tasks.json', '.mcp.json'])
      writeFileSync(join(workspace, file), '{}', { mode: 0o666 });
    const box = await open({ workspace });
    const { out } = await box.sh(
      `for f in pincer.jsonc .envrc .vscode/tasks.json .mcp.json; do (echo x > $f) 2>/dev/null && echo wrote; rm -f $f 2>/dev/null && echo removed; mv $f x 2>/dev/null && echo moved; done; mv .vscode y && echo moved`,
    );
    expect(out).not.toMatch(/^(?:wrote|removed|moved)/mu);
    expect(readFileSync(join(workspace, 'pincer.jsonc'), 'utf8')).toBe('{}');
    expect(box.opened.guards?.lost()).toEqual([]);
    // The host replaces a guarded file: its guard is gone, and that is known before the next command.
    writeFileSync(join(workspace, 'new'), '{}', { mode: 0o666 });
    renameSync(join(workspace, 'new'), join(workspace, '.envrc'));
    expect(box.opened.guards?.lost()).toEqual(['.envrc']);
    await deepAndLinked(open, folder());
  },

  async 'state-hidden'({ contender: { home, hidden }, open }) {
    writeFileSync(join(hidden, 'exec-approvals.json'), 'HOST-SECRET', { mode: 0o666 });
    const box = await open({ workspace: home });
    const { out } = await box.sh(
      `cat .local/state/pincer/*; ls -A .local/state/pincer; echo x > .local/state/pincer/exec-approvals.json && echo wrote
       mv .local away && echo moved; mv .local/state away && echo moved; mv .local/state/pincer away && echo moved
       rm -rf .local; rmdir .local/state; mkdir -p other && mv -T other .local && echo replaced; ls -A .local .local/state`,
    );
    expect(out).not.toMatch(/HOST-SECRET|^(?:wrote|moved|replaced)/mu);
    expect(readFileSync(join(hidden, 'exec-approvals.json'), 'utf8')).toBe('HOST-SECRET');
    const reader = await open({ workspace: home, workspaceAccess: 'ro' });
    expect((await reader.sh('cat .local/state/pincer/*')).out).not.toContain('HOST-SECRET');
  },

  async 'set-user-id'({ box, programs }) {
    // Made outside, by somebody who may, in the one place of the host that is seen.
    const path = join(box.workspace, 'of-another');
    copyFileSync(join(programs, 'implements'), path);
    if (process.geteuid?.() === 0) chownSync(path, 12_345, 12_345);
    chmodSync(path, 0o6755);
    const { out } = await box.sh('./implements users; ./of-another users');
    const [own, other] = out.split('\n');
    expect(own).toMatch(/^(\d+) \1 (\d+) \2$/u);
    expect(other).toBe(own);
  },

  async 'set-user-id-files'(arena) {
    const { box } = arena;
    await refuses(['create_set_id', 'create_set_id_newly', 'mknod_set_id'])(arena);
    const { out } = await box.sh(
      'for bits in 4755 2755 6755 u+s g+s; do cat /bin/sh > own; chmod $bits own && echo changed; done; chmod 755 own && echo plain; ls -l own',
    );
    expect(out).not.toMatch(/^changed/mu);
    expect(out).toMatch(/^plain/mu);
    for (const name of readdirSync(box.workspace)) {
      if (name === 'of-another') continue; // made outside
      expect.soft(lstatSync(join(box.workspace, name)).mode & 0o6000, name).toBe(0);
    }
  },
};
