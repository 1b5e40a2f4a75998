/** The client's own shell may be zsh or dash: what a hook allows under deny rules starts no forbidden program there. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeEvent } from './events.ts';
import { hook, hookPlace } from './place.ts';

const RULES = {
  version: 1,
  defaults: { security: 'full', ask: 'off' },
  deny: ['/usr/bin/touch'],
};
const CONFIG = { tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } };

function decided(command: string) {
  const { folder, env } = hookPlace({ approvals: RULES, config: CONFIG });
  const project = join(folder, 'project');
  const event = JSON.stringify(claudeEvent('Bash', { command }, project));
  const { stdout } = hook('claude-code', event, env, [], project);
  const output = JSON.parse(stdout) as { hookSpecificOutput: { permissionDecision: string } };
  return { decision: output.hookSpecificOutput.permissionDecision, project, env };
}

/** The first three start touch in zsh; the others are of the same kinds. */
const HIDING = [
  'echo (#(&touch v',
  'cat (select #;touch v|touch v@P}touch vecho echo if ',
  '>! ls touch v',
  'echo a &>f touch v',
  'ls &! touch v',
  'fish -c ls',
  'zsh -ic ls',
  'ls; > f',
  'env =touch ls',
  'echo a10>f#b',
  'ls ) touch v',
  'cat <<E\nE',
  'echo "$\x7b ls; }"',
];

describe('in a hook with deny rules', () => {
  it.each(HIDING)('a text that not every shell reads alike is denied: %j', (command) => {
    expect(decided(command).decision).toBe('deny');
  });

  it.each([
    'ls -l | wc -l && echo "a b" > f 2>&1; cat < f',
    '# what is here\nls # all\n\n! grep -r \'a\' "b c" >> f &&\n  cat f &',
    String.raw`git log -1 stash@{0} && echo a\ b "c\"d\$"`,
  ])('a text that every shell reads alike is allowed: %j', (command) => {
    expect(decided(command).decision).toBe('allow');
  });

  it.skipIf(spawnSync('zsh', ['-c', 'true']).status !== 0)(
    'the texts are what zsh runs as they are told (needs zsh)',
    () => {
      const { project, env } = decided('ls');
      for (const command of HIDING.slice(0, 3)) {
        for (const name of ['v', 'vecho']) rmSync(join(project, name), { force: true });
        spawnSync('zsh', ['-c', command], { cwd: project, env: { ...env, SHELL: '' }, timeout: 60_000 });
        expect(existsSync(join(project, 'v')) || existsSync(join(project, 'vecho'))).toBe(true);
      }
    },
  );
});
