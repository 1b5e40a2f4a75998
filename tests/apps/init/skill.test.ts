/** Every line that the skill offers is run, in order, in a small project. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../support/folder.ts';

const root = resolve(import.meta.dirname, '../../..');
const program = join(root, 'dist/pincer.cjs');
const skill = readFileSync(join(root, 'skills/pincer/SKILL.md'), 'utf8');

it('the head of the skill is what agents read: a name and when to use it', () => {
  const head = parse(/^---\n([\s\S]*?)\n---\n/u.exec(skill)![1]!) as Record<string, string>;
  expect({ name: head['name'], keys: Object.keys(head) }).toEqual({ name: 'pincer', keys: ['name', 'description'] });
  expect(head['description']!.length).toBeLessThan(1024);
});

it('the ten examples work unchanged', () => {
  const lines = /```sh\n([\s\S]*?)```/u.exec(skill)![1]!.trim().split('\n');
  const folder = makeFolder({
    'project/config.jsonc': '{\n  // ports\n  "servers": { "web": { "port": 8080 }, "api": { "port": 9090 } }\n}\n',
    'project/notes.md': '# Plan\n\n## Tasks\n\n- [ ] one\n',
    'project/src/app.js': "console.log('hello');\n",
    'bin/.keep': '',
  });
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  chmodSync(program, 0o755);
  symlinkSync(program, join(folder, 'bin/pincer'));
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    PINCER_STATE_DIR: join(folder, 'state'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
  };
  const run = (line: string) => {
    const ran = spawnSync('sh', ['-c', line], { cwd: join(folder, 'project'), env, encoding: 'utf8', timeout: 60_000 });
    // A session in the background says when it will be ended.
    const stderr = ran.stderr.replace(/^pincer: \S+ ends after 1800 s; .*\n/u, '');
    return { line, status: ran.status, stdout: ran.stdout, stderr };
  };
  onTestFinished(() => {
    run('pincer daemon stop --force');
  });
  const ran = lines.map(run);
  expect(ran.map(({ line, status, stderr }) => ({ line, status, stderr }))).toEqual(
    lines.map((line) => ({ line, status: 0, stderr: '' })),
  );
  expect(lines.length).toBe(10);
  const text = (name: string) => readFileSync(join(folder, 'project', name), 'utf8');
  expect({ config: text('config.jsonc'), notes: text('notes.md'), app: text('src/app.js') }).toEqual({
    config: '{\n  // ports\n  "servers": { "web": { "port": 8081 }, "api": { "port": 9090 } }\n}\n',
    notes: '# Plan\n\n## Tasks\n\n- [ ] one\n- [ ] write the tests\n',
    app: "console.log('good day');\n",
  });
  expect(ran[8]!.stdout).toBe('good day\n');
  expect(ran[9]!.stdout).toContain('"command": "sleep 60"');
});
