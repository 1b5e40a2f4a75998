/** `sed -i`: the program writes to its output, and that replaces the file. */
import { Collector } from './collector.ts';
import type { PartCommand } from './program-part.ts';
import type { VerbOptions } from './verb-options.ts';

interface SedCall {
  /** Words without `-i` and without files. */
  readonly words: readonly string[];
  readonly files: readonly string[];
}

/** sed could not read the file or the script; other statuses come from the script itself. */
const FAILED = new Set([1, 2, 4]);

export async function editInPlace({ planned, descriptors }: PartCommand, options: VerbOptions): Promise<number> {
  const { files, streams, cwd, stateDir, umask, outputOf } = options;
  const call = readSed(planned.argv);
  if (call === undefined) {
    streams.err('sed: this form of -i is not supported without a shell\n');
    return 1;
  }
  if (call.files.length === 0) {
    streams.err('sed: no input files\n');
    return 4;
  }
  let status = 0;
  for (const name of call.files) {
    const collector = new Collector(stateDir);
    try {
      const path = name.startsWith('/') ? name : `${cwd}/${name}`;
      const place = files.place(path, 'write');
      if ('problem' in place) {
        streams.err(`sed: couldn't edit ${place.problem}\n`);
        status = 4;
        continue;
      }
      const before = files.files.placeOf(place.path);
      const argv = [...call.words, '--', name];
      const toCollector = { input: { from: 'null' }, output: { to: 'file', path: place.path } } as const;
      const { errors } = descriptors;
      const end = await outputOf({ ...planned, argv }, { ...toCollector, errors, written: [] }, collector);
      if (end.kind !== 'status') {
        streams.err(`sed: ${end.message ?? 'it could not be started'}\n`);
        return 4;
      }
      if (end.status !== 0) status = end.status;
      if (FAILED.has(end.status) || end.signal !== undefined || before.stamp === undefined) continue;
      const problems = await files.commitOutputs([{ path: place.path, append: false, collector }], umask, before);
      for (const problem of problems) streams.err(`sed: ${problem}\n`);
      if (problems.length > 0) status = 4;
    } finally {
      collector.discard();
    }
  }
  return status;
}

/** Undefined where the words are not understood, or a backup is wanted. */
export function readSed(argv: readonly string[]): SedCall | undefined {
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
