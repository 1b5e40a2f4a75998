import { find } from '../../../tools/path/verbs.ts';
import type { Run } from './command.ts';
import { Rows } from './rows.ts';

export async function runFind(run: Run): Promise<number> {
  if (run.args.flags.has('files')) return (await import('./find-files.ts')).runFindFiles(run);
  const pattern = run.args.positionals[0]!;
  const rows = new Rows(run, pattern);
  await rows.collect((finder) => find(run.files, pattern, run.args.options, finder));
  rows.show();
  return rows.count > 0 ? 0 : 1;
}
