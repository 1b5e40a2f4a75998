import { readFileSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { reason } from '../../../hosts/files/faults.ts';
import { batch } from '../../../tools/path/batch.ts';
import { showJson } from './json.ts';
import type { Preview, Run } from './command.ts';

/** `set --batch FILE|-`. */
export async function runBatch(
  { args, files, json, style, output }: Run,
  source: string,
  preview: Preview,
): Promise<number> {
  const answer = await batch(files, readSource(source), args.options, { ...preview, create: args.flags.has('create') });
  if (json) output.out(showJson(answer));
  else if (!answer.ok)
    output.out(`${style.bad('set failed:')} ${answer.reason} — ${answer.detail}; nothing was written\n`);
  else if (answer.files.length === 0) output.out('the batch is empty: nothing to write\n');
  else
    for (const { fsPath, bytesWritten, diff } of answer.files) {
      if (diff !== undefined) output.out(diff === '' ? `--dry-run: no byte changes for ${fsPath}\n` : diff);
      else output.out(`${answer.dryRun ? '--dry-run: would write' : 'wrote'} ${bytesWritten} bytes to ${fsPath}\n`);
    }
  return answer.ok ? 0 : 1;
}

function readSource(source: string): string {
  try {
    return readFileSync(source === '-' ? 0 : source, 'utf8');
  } catch (error) {
    throw new Fault('FS_UNREADABLE', `the batch ${source} cannot be read: ${reason(error)}`, {
      hint: 'name a file of JSON lines, or - for standard input',
      cause: error,
    });
  }
}
