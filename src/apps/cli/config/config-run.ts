/** Context of the `pincer config` verbs: folder, selected file, output. */
import { resolve } from 'node:path';
import { layerFiles, type ConfigSource, type NamedFile } from '../../../config/config-files.ts';
import { currentFolder } from '../current-folder.ts';
import { reportNotice } from '../failure.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { paint, type Paint } from '../../terminal/paint.ts';
import { type CommandShape, type ParsedArguments, usage } from '../arguments.ts';

export interface ConfigRun {
  readonly shape: CommandShape;
  readonly args: ParsedArguments;
  /** The project file is in this folder or above it. */
  readonly folder: string;
  readonly json: boolean;
  readonly output: Output;
  readonly style: Paint;
  /** Prints to standard error. */
  notice(message: string): void;
}

/** Whether results and errors are JSON. */
interface Forms {
  readonly json: boolean;
  readonly errorJson: boolean;
}

export function configRun(
  shape: CommandShape,
  args: ParsedArguments,
  { json, errorJson }: Forms,
  output: Output,
): ConfigRun {
  return {
    shape,
    args,
    folder: currentFolder(args.options['cwd']),
    json,
    output,
    style: paint(output.colour),
    notice: (message) => reportNotice(message, errorJson, quietly(output, args.flags.has('quiet'))),
  };
}

/** The file that `--user`, `--project`, `--system` or `--file` selects; undefined without these flags. */
export function namedFile({ shape, args, folder }: ConfigRun): NamedFile | undefined {
  const layers = (['user', 'project', 'system'] as const).filter((layer) => args.flags.has(layer));
  const { file } = args.options;
  if (layers.length + (file === undefined ? 0 : 1) > 1)
    throw usage(shape, '--user, --project, --system and --file exclude each other');
  if (file !== undefined) return { layer: 'file', path: resolve(folder, file) };
  const [layer] = layers;
  return layer === undefined ? undefined : fileOfLayer(folder, layer);
}

/** The file of a layer, even if it does not exist. */
export function fileOfLayer(folder: string, layer: ConfigSource['layer']): NamedFile {
  const found = layerFiles(folder).find((one) => one.layer === layer);
  if (found === undefined) throw usage({ command: 'config' }, `${folder} has no ${layer} file`);
  return { layer, path: found.path };
}

export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
