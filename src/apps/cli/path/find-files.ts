import { isAbsolute } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { expandGlob } from '../../../hosts/files/gate/glob.ts';
import { parseOcPath } from '../../../text/address/parse.ts';
import { formatFile } from '../../../text/address/format.ts';
import { kindOfFile } from '../../../text/kinds/extension.ts';
import { find } from '../../../tools/path/verbs.ts';
import { exitCodeOf } from '../failure.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { Rows } from './rows.ts';
import type { Run } from './command.ts';

/** `find --files GLOB… 'oc://FILES/…'`: one pattern in many files. Unreadable files are reported, and the search continues. */
export async function runFindFiles(run: Run): Promise<number> {
  const patterns = run.args.positionals.filter((word) => word.startsWith('oc://'));
  const globs = run.args.positionals.filter((word) => !word.startsWith('oc://'));
  const [pattern] = patterns;
  if (pattern === undefined || patterns.length > 1 || globs.length === 0) throw needsFiles();
  if (run.args.options['file'] !== undefined)
    throw new Fault('USAGE_ARGUMENTS', 'path find: --files and --file exclude each other', {
      hint: 'add the file to the names after --files',
    });
  const slot = parseOcPath(pattern, { deep: true }).file;
  const names = filesFor(run, globs, slot);
  const rows = new Rows(run, pattern);
  const errors: { file: string; code: string; message: string }[] = [];
  let worst = 1;
  await rows.collect(async (finder) => {
    for (const name of names) {
      try {
        await find(run.files, inFile(pattern, name), run.args.options, finder);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        errors.push({ file: name, code: error.code, message: error.message });
        worst = Math.max(worst, exitCodeOf(error.code));
      }
    }
  });
  rows.show({ files: names.length, ...(errors.length > 0 ? { errors } : {}) });
  if (!run.json)
    for (const { file, code, message } of errors) run.output.err(`${visibleLine(`${file}: ${code}: ${message}`)}\n`);
  return rows.count > 0 ? 0 : worst;
}

/** The files of all globs, each once. Skips unsupported file types, unless named directly or with --kind. */
function filesFor(run: Run, globs: readonly string[], slot: string): string[] {
  const names = new Set<string>();
  for (const glob of globs) {
    if (isAbsolute(glob) || glob.split('/').includes('..'))
      throw new Fault('USAGE_ARGUMENTS', `--files needs names inside --cwd, not ${glob}`, {
        hint: 'choose the folder with --cwd',
      });
    const expanded = expandGlob(run.cwd, glob.replace(/^\.\//, ''));
    for (const name of expanded) {
      const isKnown = expanded.length === 1 || run.args.options['kind'] !== undefined || kindOfFile(name) !== undefined;
      if (isKnown && (slot === '*' || matchesSlot(slot, name))) names.add(name);
    }
  }
  return [...names];
}

/** A file slot other than `*` filters by name: `oc://*.md/…`, `oc://SKILL.md/…`. Unlike in a glob, its `*` matches `/`. */
function matchesSlot(slot: string, name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const source = slot
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${source}$`, 'u').test(slot.includes('/') ? name : base);
}

/** Replaces the file slot of the pattern by one file. */
function inFile(pattern: string, name: string): string {
  const rest = pattern.slice('oc://'.length);
  const end = rest[0] === '"' ? rest.indexOf('"', 1) + 1 : rest.search(/[/?]|$/);
  return `oc://${formatFile(name)}${rest.slice(end)}`;
}

function needsFiles(): Fault {
  return new Fault('USAGE_ARGUMENTS', 'path find --files needs file names or globs and one pattern', {
    hint: "pincer path find --files '**/*.md' 'oc://*/tools/*'",
  });
}
