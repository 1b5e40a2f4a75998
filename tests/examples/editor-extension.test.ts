import { describe, expect, it } from 'vitest';
import { fileOf, rangeOf, sectionsOf } from '../../examples/editor-extension/places.mjs';

const AGENTS = '# Desk\n\n## Runtime safety\n\n- gateway: slow\n\n## Tools\n\n- gh: GitHub CLI\n';

describe('the editor extension', () => {
  it('finds the file of an address', () => {
    expect(fileOf('oc://"skills/mail/SKILL.md"/tools')).toBe('skills/mail/SKILL.md');
  });

  it('lists the sections of a file with addresses that lead back to them', () => {
    expect(sectionsOf(AGENTS, 'docs/AGENTS.md')).toEqual([
      { address: 'oc://"docs/AGENTS.md"/runtime-safety', line: 3 },
      { address: 'oc://"docs/AGENTS.md"/tools', line: 7 },
    ]);
  });

  it('selects a section from its heading on', () => {
    expect(rangeOf(AGENTS, 'oc://AGENTS.md/tools')?.start).toEqual({ line: 7, column: 1 });
  });

  it('selects a value exactly', () => {
    expect(rangeOf('{\n  "a": {"b": 12}\n}\n', 'oc://x.json/a/b')).toEqual({
      start: { line: 2, column: 14 },
      end: { line: 2, column: 16 },
    });
  });

  it('gives nothing for a place that is not there', () => {
    expect(rangeOf(AGENTS, 'oc://AGENTS.md/nowhere')).toBeUndefined();
  });
});
