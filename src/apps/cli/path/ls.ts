import { Fault } from '../../../base/fault.ts';
import { formatFile } from '../../../text/address/format.ts';
import { DEFAULT_DEPTH, outline } from '../../../tools/path/outline.ts';
import { visible } from '../../terminal/visible.ts';
import { renderMatch } from './render-text.ts';
import { renderJson } from './render-json.ts';
import type { Run } from './command.ts';

export async function runLs({ args, files, json, style, output }: Run): Promise<number> {
  const target = args.positionals[0] ?? args.options['file'] ?? '';
  const depth = Number(args.options['depth'] ?? DEFAULT_DEPTH);
  if (!Number.isInteger(depth) || depth < 1)
    throw new Fault('USAGE_ARGUMENTS', `--depth must be a whole number of at least 1, not ${args.options['depth']}`, {
      hint: `omit --depth for ${DEFAULT_DEPTH} levels`,
    });
  const isAddress = target.startsWith('oc://');
  const options = isAddress || args.options['file'] !== undefined ? args.options : { ...args.options, file: target };
  const typed = isAddress ? target : `oc://${formatFile(slotOf(target))}`;
  const answer = await outline(files, typed, options, depth);
  if ('resolved' in answer) {
    output.out(json ? renderJson(answer) : `${style.bad('not found:')} ${visible(typed)}\n`);
    return 1;
  }
  if (json) output.out(renderJson(answer));
  else {
    const width = output.isTerminal
      ? Math.max(0, ...answer.entries.map(({ path, depth: level }) => path.length + 2 * level))
      : 0;
    for (const { path, depth: level, match } of answer.entries) {
      const lead = '  '.repeat(level - 1);
      const fill = ' '.repeat(Math.max(0, width - path.length - 2 * level));
      output.out(`${lead}${style.address(visible(path))}${fill}  ${renderMatch(match, style)}\n`);
    }
    if (answer.truncated === true)
      output.err(
        `only the first ${answer.entries.length} entries are shown; name an address in the file, or a smaller --depth\n`,
      );
  }
  return 0;
}

/** The file slot that other verbs find the file with; they need --file for one that is not below the folder. */
function slotOf(file: string): string {
  const parts = file.split('/').filter((part) => part !== '.');
  return parts[0] === '' || parts.includes('..') ? (parts.at(-1) ?? file) : parts.join('/');
}
