import { expect, it } from 'vitest';
import { type Ready, welcomeText } from '../../../src/apps/serve/welcome.ts';
import { paint } from '../../../src/apps/terminal/paint.ts';

const READY: Ready = {
  url: 'http://127.0.0.1:7462/mcp',
  tokenFile: '/state/serve/token',
  pid: 1,
  workspace: '/ws',
  agent: 'main',
  posture: {
    kind: 'open',
    commands: 'commands run on this machine and are not judged',
    files: 'file tools work on this machine',
    change: 'pincer init --posture judged --yes',
    rules: 0,
  },
  gateway: 'own',
  exposed: false,
};

it('the start shows nothing that a terminal would obey, and no line that is not ours', () => {
  const lines = welcomeText(READY, paint(false)).split('\n').length;
  const hostile = '/w\u001b[31mme\n  token  /evil\u202e';
  const text = welcomeText({ ...READY, workspace: hostile, agent: hostile, tokenFile: hostile }, paint(false));
  expect(text).toContain(
    'workspace      /w\\u001b[31mme\\u000a  token  /evil\\u202e (agent /w\\u001b[31mme\\u000a  token  /evil\\u202e)',
  );
  expect(['\u001b', '\u202e'].filter((mark) => text.includes(mark))).toEqual([]);
  expect(text.split('\n')).toHaveLength(lines);
});

it('the message warns in red that commands are not judged, with the command that changes it', () => {
  const text = welcomeText(READY, paint(true));
  expect(text).toContain('\u001b[31mcommands run on this machine and are not judged\u001b[39m');
  expect(text).toContain('to change that:\n    pincer init --posture judged --yes\n');
});
