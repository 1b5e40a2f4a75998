/**
 * Sections from headings. Top-level sections are H2s, headings of level 3 and deeper that have no H2 above them, and
 * each H1 that stands after the first section; the H1s before it are part of the preamble. An H1 closes everything.
 */
import { HEADING, type IntTable } from './blocks/records.ts';

export interface Section {
  /** Row in the table of headings. */
  readonly heading: number;
  readonly level: number;
  readonly start: number;
  /** Past its heading line or lines. */
  readonly bodyStart: number;
  readonly children: Section[];
  /** Past its last line: the start of the next section that is not below it. */
  end: number;
}

export interface Outline {
  readonly sections: readonly Section[];
  /** Where the first section starts. */
  readonly preambleEnd: number;
}

/** Builds the tree of sections of a text of `length` units. */
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

/** A heading closes sections of its level and deeper; an H1 closes and is closed by any. */
function closes(level: number, section: Section): boolean {
  return level === 1 || section.level === 1 || section.level >= level;
}
