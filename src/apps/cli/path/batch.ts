import { readFileSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { reason } from '../../../hosts/files/faults.ts';
import { encodeText } from '../../../text/lines/bytes.ts';
import { batch } from '../../../tools/path/batch.ts';
import { readAllInput } from '../input.ts';
import { showContent } from '../../terminal/output.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';
import { renderJson } from './render-json.ts';
import type { Preview, Run } from './command.ts';

export async function runBatch(
  { args, files, json, style, output }: Run,
  source: string,
  preview: Preview,
): Promise<number> {
  const answer = await batch(files, readSource(source), args.options, { ...preview, create: args.flags.has('create') });
  if (json) output.out(renderJson(answer));
  else if (!answer.ok)
    output.out(`${style.bad('set failed:')} ${answer.reason} — ${visible(answer.detail)}; nothing was written\n`);
  else if (answer.files.length === 0) output.out('the batch is empty: nothing to write\n');
  else
    for (const { fsPath, bytesWritten, diff } of answer.files) {
      const did = answer.dryRun ? '--dry-run: would write' : 'wrote';
      if (diff === undefined) output.out(`${visibleLine(`${did} ${bytesWritten} bytes to ${fsPath}`)}\n`);
      else if (diff === '') output.out(`${visibleLine(`--dry-run: no byte changes for ${fsPath}`)}\n`);
      else showContent(encodeText(diff), output);
    }
  return answer.ok ? 0 : 1;
}

function readSource(source: string): string {
  try {
    return decode(source === '-' ? readAllInput() : readFileSync(source), source);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('FS_UNREADABLE', `the batch ${source} cannot be read: ${reason(error)}`, {
      hint: 'name a file of JSON lines, or - for standard input',
      cause: error,
    });
  }
}

/** Decoding invalid UTF-8 would silently replace characters. */
function decode(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Fault('USAGE_ARGUMENTS', `the batch ${source} is not UTF-8 text`, {
      hint: 'write the batch as JSON lines in UTF-8; nothing was written',
      cause: error,
    });
  }
}
