/** The wizard of `pincer init` in a real terminal, for each posture and stopped at each step. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openWizard, PAGE, pageOf, playStory, STORIES } from '../../../scripts/wizard.mjs';
import { readText, root } from '../../house/sources.ts';
import { until } from '../../support/patience.ts';
import { whyNoBubblewrap } from '../../support/sandbox.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const noBubblewrap = await whyNoBubblewrap();

function wizard(more: Parameters<typeof openWizard>[2], ...args: readonly string[]) {
  const open = openWizard(root, args, more);
  onTestFinished(() => open.end());
  return open;
}

describe.skipIf(!hasTmux)('the wizard (needs tmux)', () => {
  it.skipIf(noBubblewrap !== undefined)(
    'shows in docs/agents/wizard.md what it shows in a terminal for each posture (needs bubblewrap)',
    async () => {
      const played = await Promise.all(STORIES.map((story) => playStory(root, story)));
      expect(readText(PAGE), 'npm run build && npm run wizard').toBe(pageOf(played));
    },
    120_000,
  );

  const STEPS: readonly (readonly [question: string, args: readonly string[]])[] = [
    ['Which client?', []],
    ['Which configuration of Claude Code?', ['claude-code']],
    ['How do commands of agents run?', ['claude-code', '--project']],
    ['own tools too?', ['claude-code', '--project', '--posture', 'judged']],
    ['Write these changes?', ['claude-code', '--project', '--posture', 'judged', '--no-hook']],
  ];

  it.each(STEPS)(
    'asks %j where no flag answers it, and leaves everything as it was after Ctrl-C',
    async (question, args) => {
      const { home, project, shows, screen, type } = wizard({}, ...args);
      await shows(question);
      expect(STEPS.filter(([other]) => other !== question && screen().includes(other))).toEqual([]);
      type(['C-c']);
      await shows('\nexit 130');
      expect(screen()).toContain('nothing was written');
      expect({
        home: readdirSync(home),
        project: readdirSync(project),
        state: existsSync(join(dirname(home), 'state')),
      }).toEqual({ home: [], project: [], state: false });
    },
    60_000,
  );

  it('changes nothing after Ctrl-C during the probe of the sandbox, or a moment later', async () => {
    const { home, project, tmp, shows, screen, type } = wizard({}, 'claude-code');
    await shows('Which configuration of Claude Code?');
    type(['Enter']);
    await shows('◇  Which configuration of Claude Code?');
    type(['C-c']);
    // A key that is pressed between two questions may be heard by neither: a person presses it again.
    const ended = () => screen().includes('exit 130'); // behind ^C, in the same line, between two questions;
    await until(() => ended() || screen().includes('How do commands of agents run?'), 'the end, or the next question');
    if (!ended()) type(['C-c']);
    await shows('exit 130');
    expect([home, project, tmp].map((folder) => readdirSync(folder))).toEqual([[], [], []]);
  }, 60_000);

  it('keeps written files, and reports that, after Ctrl-C at the test', async () => {
    const first = wizard({}, 'claude-code', '--project', '--posture', 'judged', '--no-hook');
    await first.shows('Write these changes?');
    first.type(['Enter']);
    await first.shows('Test it with a harmless command?');
    first.type(['C-c']);
    await first.shows('\nexit 130');
    expect(first.screen()).toContain('the changes above were written');
    expect([readdirSync(first.project), existsSync(join(first.home, '.config/pincer/pincer.jsonc'))]).toEqual([
      ['.mcp.json'],
      true,
    ]);
  }, 60_000);

  it('names a link that leads out of the project before it asks, and takes Enter for no', async () => {
    const prepare = (home: string, project: string): void => {
      writeFileSync(join(home, 'other.json'), '{}\n');
      symlinkSync(join(home, 'other.json'), join(project, 'opencode.json'));
    };
    const { home, shows, screen, type } = wizard(
      { prepare },
      'opencode',
      '--project',
      '--posture',
      'open',
      '--no-test',
    );
    const other = join(home, 'other.json');
    await shows('Write these changes?');
    expect(screen()).toContain(`+++ ${other}`);
    expect(screen()).toContain(`a symlink in the project leads outside it, to ${other}`);
    type(['Enter']);
    await shows('\nexit 1');
    expect(readFileSync(other, 'utf8')).toBe('{}\n');
  }, 60_000);

  it('asks the one question that needs no cursor on a dumb terminal', async () => {
    const { shows, screen, type, project } = wizard({ env: { TERM: 'dumb' } }, 'gemini', '--posture', 'open');
    await shows('write it? [y/N]');
    expect(screen()).not.toContain('◆');
    type(['y', 'Enter']);
    await shows('\nexit 0');
    expect(screen()).toContain('written\ncommands run directly on this machine and are not judged');
    expect(readdirSync(project)).toEqual(['.gemini']);
  }, 60_000);

  it('writes nothing when the answer is no', async () => {
    const { home, project, shows, type } = wizard(
      {},
      'gemini',
      '--project',
      '--posture',
      'open',
      '--no-hook',
      '--no-test',
    );
    await shows('Write these changes?');
    type(['n']);
    await shows('\nexit 1');
    expect([readdirSync(home), readdirSync(project)]).toEqual([[], []]);
  }, 60_000);
});
