/** What the verbs of `pincer config` share: where they work, which file is meant, and how they answer. */
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { layerFiles, type ConfigSource } from '../../../config/config-files.ts';
import { reportNotice } from '../failure.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { paint, type Paint } from '../../terminal/paint.ts';
import { type CommandShape, type CommandWords, usage } from '../arguments.ts';

/** One run of a verb. */
export interface ConfigRun {
  readonly shape: CommandShape;
  readonly args: CommandWords;
  /** The folder that the project is looked for from. */
  readonly folder: string;
  readonly json: boolean;
  readonly output: Output;
  readonly style: Paint;
  /** Says something beside the answer. */
  notice(message: string): void;
}

/** Whether the answer is JSON, and whether what stands beside it is. */
interface Forms {
  readonly json: boolean;
  readonly errorJson: boolean;
}

export function configRun(
  shape: CommandShape,
  args: CommandWords,
  { json, errorJson }: Forms,
  output: Output,
): ConfigRun {
  return {
    shape,
    args,
    folder: workingFolder(args.options['cwd']),
    json,
    output,
    style: paint(output.colour),
    notice: (message) => reportNotice(message, errorJson, quietly(output, args.flags.has('quiet'))),
  };
}

/** The folder that is worked in; someone may have removed the one that the shell stands in. */
export function workingFolder(named = '.'): string {
  try {
    return resolve(named);
  } catch (error) {
    throw new Fault('FS_NOT_FOUND', 'the working folder does not exist any more', {
      hint: 'go to one that exists',
      cause: error,
    });
  }
}

/** The file that the flags name. */
export interface NamedFile {
  readonly layer: ConfigSource['layer'] | 'file';
  readonly path: string;
}

/** The one file that `--user`, `--project`, `--system` or `--file` names; undefined without any of them. */
export function namedFile({ shape, args, folder }: ConfigRun): NamedFile | undefined {
  const layers = (['user', 'project', 'system'] as const).filter((layer) => args.flags.has(layer));
  const { file } = args.options;
  if (layers.length + (file === undefined ? 0 : 1) > 1)
    throw usage(shape, 'only one of --user, --project, --system and --file can be meant');
  if (file !== undefined) return { layer: 'file', path: resolve(folder, file) };
  const [layer] = layers;
  return layer === undefined ? undefined : fileOfLayer(folder, layer);
}

/** The file of a layer, whether it is there or not. */
export function fileOfLayer(folder: string, layer: ConfigSource['layer']): NamedFile {
  const found = layerFiles(folder).find((one) => one.layer === layer);
  if (found === undefined) throw usage({ command: 'config' }, `there is no ${layer} file for ${folder}`);
  return { layer, path: found.path };
}

/** A value as a person reads it: a text as it is, the rest as JSON. */
export function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
