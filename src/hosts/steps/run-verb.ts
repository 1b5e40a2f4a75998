/** Commands that change files of the workspace in this process. */
import { FILE_VERBS } from '../files/verbs/verbs.ts';
import { readArguments } from '../files/verbs/options.ts';
import { Collector } from './collector.ts';
import { editInPlace } from './edit-in-place.ts';
import type { PartCommand } from './program-part.ts';
import type { Output } from './step-files.ts';
import type { StepProgram } from './step-plan.ts';
import type { VerbOptions } from './verb-options.ts';

export function isVerb({ planned }: StepProgram): boolean {
  return planned.verb !== undefined;
}

/** Returns its status. */
export async function runVerb(command: PartCommand, options: VerbOptions): Promise<number> {
  const { files, streams, cwd, umask } = options;
  const { verb, argv } = command.planned;
  const args = argv.slice(1);
  if (verb === undefined) throw new TypeError(`${argv[0]} is not a verb`);
  if (verb === 'tee') return tee(args, options);
  if (verb === 'sed' || verb === 'gofmt') return editInPlace(command, options);
  const writer = await files.writer();
  return FILE_VERBS[verb](args, { files: files.files, writer, cwd, umask, out: streams.out, err: streams.err });
}

/** It writes its files only when the commands before it have ended, which may depend on them. */
async function tee(
  args: readonly string[],
  { files, streams, cwd, stateDir, umask, earlierEnded }: VerbOptions,
): Promise<number> {
  const read = readArguments(args, { flags: 'aip', long: { append: 'a', 'ignore-interrupts': 'i' } });
  if ('usage' in read) {
    streams.err(`tee: ${read.usage}\n`);
    return 1;
  }
  let status = 0;
  const outputs = new Map<string, Output>();
  for (const operand of read.operands) {
    const placed = files.place(operand.startsWith('/') ? operand : `${cwd}/${operand}`, 'write', cwd);
    if ('path' in placed)
      outputs.set(placed.path, { path: placed.path, append: read.has('a'), collector: new Collector(stateDir) });
    else {
      streams.err(`tee: ${placed.problem}\n`);
      status = 1;
    }
  }
  try {
    for await (const bytes of streams.input()) {
      streams.out(bytes);
      for (const { collector } of outputs.values()) collector.push(bytes);
    }
    await earlierEnded();
    const problems = await files.commitOutputs([...outputs.values()], umask);
    for (const problem of problems) streams.err(`tee: ${problem}\n`);
    return problems.length > 0 ? 1 : status;
  } finally {
    for (const { collector } of outputs.values()) collector.discard();
  }
}
