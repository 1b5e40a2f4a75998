import { describe, expect, it } from 'vitest';
import { programOf, unitText } from '../../../src/apps/unit/unit-text.ts';
import { faultOf } from '../../support/fault.ts';
import { fc } from '../../support/property.ts';

const UNIT = { command: 'node', folder: '/w', environment: {} } as const;
const lineOf = (text: string, name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'mu').exec(text)?.[1];

describe('a unit', () => {
  it('quotes what systemd would interpret', () => {
    const text = unitText({
      ...UNIT,
      argv: ['/usr/bin/node', '/a b/$HOME/100%/"q"\\x'],
      folder: '/w 100%',
      environment: { PINCER_STATE_DIR: '/s $1 %h' },
    });
    expect(lineOf(text, 'ExecStart')).toBe(String.raw`"/usr/bin/node" "/a b/$$HOME/100%%/\"q\"\\x"`);
    expect(lineOf(text, 'WorkingDirectory')).toBe('/w 100%%');
    expect(lineOf(text, 'Environment')).toBe('"PINCER_STATE_DIR=/s $1 %%h"');
  });

  it('keeps $ in the path of the program, where systemd replaces no variables', () => {
    expect(lineOf(unitText({ ...UNIT, argv: ['/a$b/node', '/p$'] }), 'ExecStart')).toBe('"/a$b/node" "/p$$"');
  });

  it('refuses a folder whose last backslash would join the next line', () => {
    expect(faultOf(() => unitText({ ...UNIT, argv: ['/n'], folder: '/w\\' })).code).toBe('UNIT_INVALID');
  });

  it('restarts after a failure, and gives pincer time to end its sessions', () => {
    const text = unitText({ ...UNIT, argv: ['/n', '/p'] });
    expect(['Restart', 'KillMode', 'TimeoutStopSec', 'OOMPolicy'].map((name) => lineOf(text, name))).toEqual([
      'on-failure',
      'mixed',
      '30',
      'continue',
    ]);
    expect(text).not.toMatch(/^(?:NoNewPrivileges|ProtectSystem|PrivateTmp)=/mu);
  });

  it.each(['/a\nExecStartPre=/evil', '/a\0', '/a\u2028b'])('cannot contain %j', (path) => {
    for (const unit of [
      { ...UNIT, argv: [path] },
      { ...UNIT, argv: ['/n'], folder: path },
      { ...UNIT, argv: ['/n'], environment: { A: path } },
    ])
      expect(faultOf(() => unitText(unit)).code).toBe('UNIT_INVALID');
  });

  it('is read back, whatever the paths are', () => {
    const path = fc.string().map((text) => `/${text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')}`);
    fc.assert(
      fc.property(path, path, (node, program) => {
        expect(programOf(unitText({ ...UNIT, argv: [node, program, 'x'] }))).toEqual({ node, program });
      }),
    );
  });
});
