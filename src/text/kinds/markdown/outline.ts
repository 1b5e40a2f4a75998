/**
 * Sections from headings. Top-level sections are H2s, deeper headings without an H2 above them, and each H1 after the
 * first section. H1s before the first section are part of the preamble. An H1 closes all open sections.
 */
import { HEADING, type IntTable } from './blocks/records.ts';

export interface Section {
  readonly heading: number;
  readonly level: number;
  readonly start: number;
  readonly bodyStart: number;
  readonly children: Section[];
  /** The start of the next section that is not below it. */
  end: number;
}

export interface Outline {
  readonly sections: readonly Section[];
  readonly preambleEnd: number;
}

export function outlineOf(headings: IntTable, length: number): Outline {
  const sections: Section[] = [];
  const open: Section[] = [];
  for (let row = 0; row < headings.count; row++) {
    if (headings.get(row, HEADING.DEPTH) > 0) continue;
    const level = headings.get(row, HEADING.LEVEL);
    if (level === 1 && sections.length === 0) continue;
    const start = headings.get(row, HEADING.LINE);
    for (let last = open.at(-1); last !== undefined && closes(level, last); last = open.at(-1)) {
      last.end = start;
      open.pop();
    }
    const section: Section = {
      heading: row,
      level,
      start,
      bodyStart: headings.get(row, HEADING.END),
      children: [],
      end: length,
    };
    (open.at(-1)?.children ?? sections).push(section);
    open.push(section);
  }
  return { sections, preambleEnd: sections[0]?.start ?? length };
}

/** A heading closes sections of its level and deeper. An H1 closes all, and any heading closes an H1. */
function closes(level: number, section: Section): boolean {
  return level === 1 || section.level === 1 || section.level >= level;
}
