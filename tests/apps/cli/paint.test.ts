import { describe, expect, it } from 'vitest';
import { paint, paintDiff } from '../../../src/apps/terminal/paint.ts';

const marks = {
  address: (text: string) => `@${text}`,
  value: (text: string) => `v${text}`,
  quiet: (text: string) => `q${text}`,
  good: (text: string) => `g${text}`,
  warning: (text: string) => `w${text}`,
  bad: (text: string) => `b${text}`,
};

describe('a diff in colour', () => {
  it('tells the names of files from removed lines that look like them', () => {
    const diff = [
      '--- a',
      '+++ b',
      '@@ -1,3 +1,2 @@',
      ' x',
      '--- y',
      '+++ z',
      ' w',
      '--- c',
      '+++ d',
      '@@ -1 +1 @@',
      '-p',
    ];
    expect(paintDiff(diff.join('\n'), marks).split('\n')).toEqual([
      'q--- a',
      'q+++ b',
      '@@@ -1,3 +1,2 @@',
      ' x',
      'b--- y',
      'g+++ z',
      ' w',
      'q--- c',
      'q+++ d',
      '@@@ -1 +1 @@',
      'b-p',
    ]);
  });

  it('is the same text without colour', () => {
    const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n';
    expect(paintDiff(diff, paint(false))).toBe(diff);
    expect(paintDiff(diff, paint(true))).not.toBe(diff);
  });
});
