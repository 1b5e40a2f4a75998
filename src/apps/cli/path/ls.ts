import { Fault } from '../../../base/fault.ts';
import { formatFile } from '../../../text/address/format.ts';
import { outline } from '../../../tools/path/outline.ts';
import { visible } from '../../terminal/visible.ts';
import { renderMatch } from './render-text.ts';
import { renderJson } from './render-json.ts';
import type { Run } from './command.ts';

const DEFAULT_DEPTH = 2;

export async function runLs({ args, files, json, style, output }: Run): Promise<number> {
  const target = args.positionals[0] ?? args.options['file'] ?? '';
  const depth = Number(args.options['depth'] ?? DEFAULT_DEPTH);
  if (!Number.isInteger(depth) || depth < 1)
    throw new Fault('USAGE_ARGUMENTS', `--depth must be a whole number of at least 1, not ${args.options['depth']}`, {
      hint: `omit --depth for ${DEFAULT_DEPTH} levels`,
    });
  const isAddress = target.startsWith('oc://');
  const options = isAddress || args.options['file'] !== undefined ? args.options : { ...args.options, file: target };
  const typed = isAddress ? target : `oc://${formatFile(target.slice(target.lastIndexOf('/') + 1))}`;
  const answer = await outline(files, typed, options, depth);
  if (answer === undefined) {
    output.out(
      json ? renderJson({ resolved: false, ocPath: typed }) : `${style.bad('not found:')} ${visible(typed)}\n`,
    );
    return 1;
  }
  if (json)
    output.out(
      renderJson({
        file: typed,
        kind: answer.kind,
        entries: answer.entries,
        ...(answer.truncated ? { truncated: true } : {}),
      }),
    );
  else {
    const width = output.isTerminal
      ? Math.max(0, ...answer.entries.map(({ path, depth: level }) => path.length + 2 * level))
      : 0;
    for (const { path, depth: level, match } of answer.entries) {
      const lead = '  '.repeat(level - 1);
      const fill = ' '.repeat(Math.max(0, width - path.length - 2 * level));
      output.out(`${lead}${style.address(visible(path))}${fill}  ${renderMatch(match, style)}\n`);
    }
    if (answer.truncated)
      output.err(
        `only the first ${answer.entries.length} entries are shown; name an address in the file, or a smaller --depth\n`,
      );
  }
  return 0;
}
