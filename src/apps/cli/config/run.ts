/** `pincer config`: reads and changes settings. */
import { shapeOf, unknownVerb } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { asksForHelp, readArguments, wantsJson, errorsAsJson } from '../arguments.ts';
import { type ConfigRun, configRun } from './config-run.ts';
import { definition } from './definition.ts';

type Verb = (run: ConfigRun) => Promise<number> | number;

const RUN: Readonly<Record<string, () => Promise<Verb>>> = {
  get: async () => (await import('./get.ts')).runGet,
  set: async () => (await import('./set.ts')).runSet,
  undo: async () => (await import('./undo.ts')).runUndo,
  unset: async () => (await import('./set.ts')).runUnset,
  validate: async () => (await import('./validate.ts')).runValidate,
  schema: async () => (await import('./describe.ts')).runSchema,
  file: async () => (await import('./describe.ts')).runFile,
};

export function runConfig(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  const [verb = 'help', ...rest] = argv;
  const work = async (): Promise<number> => {
    const load = Object.hasOwn(RUN, verb) ? RUN[verb] : undefined;
    if (load === undefined) throw unknownVerb(definition, verb);
    // A value may be a negative number.
    const shape = { ...shapeOf(definition, verb), isWord: (arg: string) => /^-\d/u.test(arg) };
    const forms = { json, errorJson: errorsAsJson(argv, output) };
    const run = configRun(shape, readArguments(shape, rest), forms, json ? jsonOutput(output) : output);
    return (await load())(run);
  };
  return runCommand(definition, argv, output, work, { isHelp: verb === 'help' || asksForHelp(argv) });
}
