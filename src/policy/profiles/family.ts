/** Short forms in which the families write their profiles. */
import type { Profile, SubcommandProfile } from '../../wire/profile.ts';

/** Programs that belong together. */
export interface Family {
  /** For the documents, in small letters. */
  readonly title: string;
  /** The versions whose manuals and sources were read. */
  readonly read: string;
  readonly programs: Readonly<Record<string, Profile>>;
  /** Other names of a program: name, then the program. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Splits words: `names('-a -b --all')`. */
export function names(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Options of one kind: `valued: { ...all('num', '-A -B'), ...all('in', '-f') }`. */
export function all(kind: string, text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names(text).map((name) => [name, kind]));
}

/** A program that reads: its output may go to a pipe, and it needs no terminal. */
export function reads(rest: Omit<Profile, 'class' | 'grammar'> & Partial<Pick<Profile, 'grammar'>>): Profile {
  return { grammar: 'getopt', class: 'read', terminal: 'safe', stdin: 'data', ...rest };
}

/** One subcommand for several names. */
export function subcommands(text: string, one: SubcommandProfile): Readonly<Record<string, SubcommandProfile>> {
  return Object.fromEntries(names(text).map((name) => [name, one]));
}
