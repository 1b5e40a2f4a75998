/** `sed -i` and `gofmt -w`: the program writes to its output, and that replaces the file. */
import { Collector } from './collector.ts';
import type { PartCommand } from './program-part.ts';
import type { VerbOptions } from './verb-options.ts';

interface InPlaceCall {
  /** Words without the option that replaces files, and without files. */
  readonly words: readonly string[];
  readonly files: readonly string[];
}

/** The program could not read the file or the script; other statuses come from the script itself. */
const FAILED = new Set([1, 2, 4]);

export async function editInPlace({ planned, descriptors }: PartCommand, options: VerbOptions): Promise<number> {
  const { files, streams, cwd, stateDir, umask, outputOf } = options;
  const name = planned.verb ?? 'sed';
  const call = name === 'gofmt' ? readGofmt(planned.argv) : readSed(planned.argv);
  if (call === undefined) {
    streams.err(`${name}: this form is not supported without a shell\n`);
    return 1;
  }
  if (call.files.length === 0) {
    streams.err(`${name}: no input files\n`);
    return 4;
  }
  let status = 0;
  for (const file of call.files) {
    const collector = new Collector(stateDir);
    try {
      const path = file.startsWith('/') ? file : `${cwd}/${file}`;
      const place = files.place(path, 'write', cwd);
      if ('problem' in place) {
        streams.err(`${name}: couldn't edit ${place.problem}\n`);
        status = 4;
        continue;
      }
      const before = files.files.placeOf(place.path);
      const argv = [...call.words, '--', file];
      const toCollector = { input: { from: 'null' }, output: { to: 'file', path: place.path } } as const;
      const { errors } = descriptors;
      const end = await outputOf({ ...planned, argv }, { ...toCollector, errors, written: [] }, collector);
      if (end.kind !== 'status') {
        streams.err(`${name}: ${end.message ?? 'it could not be started'}\n`);
        return 4;
      }
      if (end.status !== 0) status = end.status;
      if (FAILED.has(end.status) || end.signal !== undefined || before.stamp === undefined) continue;
      const problems = await files.commitOutputs([{ path: place.path, append: false, collector }], umask, before);
      for (const problem of problems) streams.err(`${name}: ${problem}\n`);
      if (problems.length > 0) status = 4;
    } finally {
      collector.discard();
    }
  }
  return status;
}

/** Undefined where it would print something else than the new text. */
export function readGofmt(argv: readonly string[]): InPlaceCall | undefined {
  const words = [argv[0] ?? 'gofmt'];
  const at = argv.findIndex((word, i) => i > 0 && (word === '--' || !word.startsWith('-')));
  const options = argv.slice(1, at < 0 ? undefined : at);
  for (const option of options) {
    const name = option.replace(/^--/u, '-');
    if (name === '-s' || name === '-e') words.push(name);
    else if (name !== '-w') return undefined;
  }
  return { words, files: at < 0 ? [] : argv.slice(argv[at] === '--' ? at + 1 : at) };
}

/** Undefined where the words are not understood, or a backup is wanted. */
export function readSed(argv: readonly string[]): InPlaceCall | undefined {
  const words: string[] = [argv[0] ?? 'sed'];
  const operands: string[] = [];
  let hasScript = false;
  let isEnded = false;
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i]!;
    if (isEnded || !word.startsWith('-') || word === '-') operands.push(word);
    else if (word === '--') isEnded = true;
    else if (word === '-i' || word === '--in-place') continue;
    else if (word === '-e' || word === '--expression') {
      words.push('-e', argv[++i] ?? '');
      hasScript = true;
    } else if (word.startsWith('--expression=')) {
      words.push(word);
      hasScript = true;
    } else {
      // In a cluster, what follows `i` is the suffix of a backup.
      const parts = /^-([nErsuz]*)(i?)(e?)$/u.exec(word);
      if (parts === null || (parts[2] === 'i' && parts[3] === 'e')) return undefined;
      if (parts[1] !== '') words.push(`-${parts[1]}`);
      if (parts[3] === 'e') {
        words.push('-e', argv[++i] ?? '');
        hasScript = true;
      }
    }
  }
  if (hasScript) return { words, files: operands };
  const [script, ...files] = operands;
  return script === undefined ? undefined : { words: [...words, '-e', script], files };
}
