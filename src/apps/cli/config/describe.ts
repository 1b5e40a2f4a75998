/** `pincer config schema` and `pincer config file`. */
import { configSchema } from '../../../config/schema/schema.ts';
import { layerFiles } from '../../../config/config-files.ts';
import { existsSync } from 'node:fs';
import { visibleLine } from '../../terminal/visible.ts';
import { type ConfigRun, namedFile } from './config-run.ts';

/** Prints JSON also on a terminal. */
export function runSchema({ output }: ConfigRun): number {
  output.out(`${JSON.stringify(configSchema(), null, 2)}\n`);
  return 0;
}

export function runFile(run: ConfigRun): number {
  const { folder, json, output, style } = run;
  const named = namedFile(run);
  const files = named === undefined ? layerFiles(folder) : [{ ...named, exists: existsSync(named.path) }];
  if (json) {
    output.out(`${JSON.stringify(named === undefined ? { files } : files[0], null, 2)}\n`);
    return 0;
  }
  for (const file of files) {
    const state = file.exists ? '' : style.quiet('  (does not exist)');
    output.out(`${named === undefined ? file.layer.padEnd(8) : ''}${visibleLine(file.path)}${state}\n`);
  }
  return 0;
}
