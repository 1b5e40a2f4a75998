/** `pincer config set` and `unset`: change one setting in one file; all other bytes stay. */
import { Fault } from '../../../base/fault.ts';
import type { ConfigChange, Edit } from '../../../config/edit/change.ts';
import { warningsAfter } from '../../../config/edit/write-settings.ts';
import { ocAddress } from '../../../config/load/oc-address.ts';
import { END, formatSettingPath, parseSettingPath, type Step } from '../../../config/schema/setting-path.ts';
import { canonicalSteps, findSetting } from '../../../config/schema/settings.ts';
import { parseSettingValue } from '../../../config/load/setting-value.ts';
import { encodeText } from '../../../text/lines/bytes.ts';
import type { PostureReport } from '../../posture.ts';
import { showContent } from '../../terminal/output.ts';
import { paintDiff } from '../../terminal/paint.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';
import { usage } from '../arguments.ts';
import { printPosture, watchPosture } from './watch-posture.ts';
import { type ConfigRun, fileOfLayer, namedFile } from './config-run.ts';
import { nodeWarnings } from './node-warnings.ts';
import { writeSettings } from './write.ts';

export async function runSet(run: ConfigRun): Promise<number> {
  const { flags, positionals } = run.args;
  const typed = parseSettingPath(positionals[0]!);
  if (formatSettingPath(typed) === 'exec.node') throw nodeOfCall();
  const { steps, schema } = findSetting(typed);
  const reading = flags.has('text') ? 'text' : flags.has('json') ? 'json' : 'either';
  const value = await parseSettingValue(schema, formatSettingPath(steps), positionals[1]!, reading);
  return change(run, steps, { verb: 'set', value });
}

export async function runUnset(run: ConfigRun): Promise<number> {
  return change(run, canonicalSteps(parseSettingPath(run.args.positionals[0]!)), { verb: 'unset' });
}

async function change(run: ConfigRun, steps: readonly Step[], edit: Edit): Promise<number> {
  const { args, folder } = run;
  const dryRun = args.flags.has('dry-run');
  if (args.flags.has('diff') && !dryRun)
    throw usage(
      run.shape,
      '--diff requires --dry-run',
      'add --dry-run to see the change, or remove --diff to write it',
    );
  const named = namedFile(run) ?? fileOfLayer(folder, 'user');
  const request = { folder, named, edits: [{ steps, edit }], dryRun };
  const { value: outcome, posture } = await watchPosture(request, () => writeSettings(request));
  if (!outcome.found) return nothingToUnset(run, steps, outcome);
  const warnings = dryRun ? [] : [...(await warningsAfter(request)), ...(await nodeWarnings(steps, edit))];
  const shown = steps.includes(END) ? outcome.at : steps;
  printAnswer(run, {
    steps: shown,
    edit,
    outcome,
    dryRun,
    warnings,
    ocPath: ocAddress(outcome.path, outcome.at),
    posture,
  });
  printPosture(run, posture);
  return 0;
}

/** In the documentation of the tool, exec.node is the parameter `node` of exec. */
function nodeOfCall(): Fault {
  return new Fault('CONFIG_UNKNOWN_KEY', 'exec.node is the parameter node of a call of exec, not a setting', {
    hint: 'set tools.exec.node for all agents, or agents.list[0].tools.exec.node for one',
    details: { path: 'exec.node', near: 'tools.exec.node' },
  });
}

/** Unsetting an unknown setting is a usage error, unless the file contains it. */
function nothingToUnset(run: ConfigRun, steps: readonly Step[], { path }: ConfigChange): number {
  findSetting(steps);
  run.notice(`${formatSettingPath(steps)} is not set in ${path}`);
  return 1;
}

interface Answer {
  readonly steps: readonly Step[];
  readonly edit: Edit;
  readonly outcome: ConfigChange;
  readonly dryRun: boolean;
  readonly warnings: readonly string[];
  readonly ocPath: string;
  readonly posture: PostureReport | undefined;
}

function printAnswer(run: ConfigRun, { steps, edit, outcome, dryRun, warnings, ocPath, posture }: Answer): void {
  const { json, output, args, style } = run;
  const path = formatSettingPath(steps);
  const { path: file, changed, created, after, diff } = outcome;
  const said = edit.verb === 'set' ? { value: edit.value } : {};
  const preview = dryRun ? { dryRun, ...(args.flags.has('diff') ? { diff } : { bytes: after }) } : {};
  if (json) {
    const answer = { ok: true, path, ...said, file, ocPath, changed, created, ...preview, warnings, posture };
    output.out(`${JSON.stringify(answer, null, 2)}\n`);
    return;
  }
  for (const warning of warnings) run.notice(warning);
  if (!dryRun) output.out(`${visibleLine(sentence(path, edit, outcome))}\n`);
  else if (!changed) output.out(`${visibleLine(`--dry-run: no byte changes for ${file}`)}\n`);
  else if (args.flags.has('diff')) output.out(paintDiff(visible(diff), style));
  else {
    const bytes = encodeText(after);
    output.out(`${visibleLine(`--dry-run: would write ${bytes.length} bytes to ${file}`)}\n`);
    showContent(bytes, output);
  }
}

function sentence(path: string, edit: Edit, { path: file, changed, created }: ConfigChange): string {
  if (edit.verb === 'unset') return `removed ${path} from ${file}`;
  const value = `${path} = ${JSON.stringify(edit.value)}`;
  if (!changed) return `${value} is already in ${file}`;
  return `wrote ${value} to ${file}${created ? ' (new file)' : ''}`;
}
