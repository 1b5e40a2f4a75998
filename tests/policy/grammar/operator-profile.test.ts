import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/policy/judge.ts';
import { whyUnused } from '../../../src/policy/grammar/operator-profile.ts';
import type { Profile } from '../../../src/wire/profile.ts';
import { machine, rules } from '../machine.ts';

const ANYTHING: Profile = { grammar: 'plain', class: 'read', operands: ['text*'] };

function verdict(command: string, profiles: Readonly<Record<string, Profile>>): string {
  return judge(command, rules({ starter: 'read', profiles }), machine(), '/home/u').verdict;
}

describe('a profile of an operator', () => {
  it('describes a further program', () => {
    const xsltproc: Profile = { grammar: 'getopt', class: 'read', flags: ['--nonet'], operands: ['in', 'in'] };
    expect([
      verdict('xsltproc --nonet a.xsl b.xml', { xsltproc }),
      verdict('xsltproc --output x a.xsl b.xml', { xsltproc }),
      verdict('xsltproc --nonet a.xsl b.xml', {}),
    ]).toEqual(['allow', 'ask', 'ask']);
  });

  it.each([
    ['sh', 'runs code from its arguments'],
    ['bash', 'runs code from its arguments'],
    ['python3', 'runs code from its arguments'],
    ['python3.12', 'runs code from its arguments'],
    ['node', 'runs code from its arguments'],
    ['awk', 'runs code from its arguments'],
    ['busybox', 'runs code from its arguments'],
    ['sudo', 'starts the program in its arguments'],
    ['env', 'starts the program in its arguments'],
    ['xargs', 'starts the program in its arguments'],
    ['git', 'described by Pincer only'],
    ['/usr/bin/x', 'without its folder'],
  ])('has no effect for %s', (name, why) => {
    expect(whyUnused(name, ANYTHING)).toContain(why);
  });

  it.each([
    ['python3 -c 1', 'python3'],
    ["awk 'BEGIN { system(1) }'", 'awk'],
    ['sh -c id', 'sh'],
    ['sudo id', 'sudo'],
    ['env id', 'env'],
  ])('does not let %s pass', (command, name) => {
    expect(verdict(command, { [name]: ANYTHING })).not.toBe('allow');
  });

  it('has no effect where one of its options can never match', () => {
    expect(whyUnused('x', { grammar: 'getopt', class: 'read', flags: ['-a b'] })).toContain('is not an option');
    expect(whyUnused('x', { grammar: 'getopt', class: 'read', operands: ['in*', 'text*'] })).toContain('may repeat');
    expect(whyUnused('x', { grammar: 'getopt', class: 'read', requires: ['-a'] })).toContain('is not listed');
    expect(whyUnused('x', { grammar: 'getopt', class: 'read', flags: ['-a'], valued: { '-a': 'in' } })).toContain(
      'twice',
    );
  });
});
