/** Text output of `pincer sandbox explain`. */
import type { SandboxExplanation, SandboxInfo, SandboxPromise } from '../../../wire/sandbox.ts';
import { paint } from '../../terminal/paint.ts';
import { postureLines } from '../../terminal/posture-lines.ts';
import { visibleLine } from '../../terminal/visible.ts';
import type { SettingSource } from './setting-sources.ts';

const MOST_SHOWN = 12;

export interface Explanation extends SandboxExplanation {
  readonly files: string;
}

export function renderExplanation(
  explanation: Explanation,
  sources: readonly SettingSource[],
  colour: boolean,
): string {
  const { agent, folder, sandboxed, commandsSandboxed, reason, backend, open } = explanation;
  const style = paint(colour);
  const where = `agent ${agent} in ${folder}: commands are ${commandsSandboxed ? 'in a sandbox' : 'not in a sandbox'}`;
  const posture = postureLines(explanation, style).map((line) => `  ${line}`);
  const lines = [
    `  ${reason}`,
    ...probeLines(explanation),
    ...open.flatMap((sandbox) => openLines(sandbox, folder)),
    ...(sandboxed && backend !== 'off' ? ['', ...promiseLines(explanation)] : []),
    '',
  ].map(visibleLine);
  const settings = sources.map((source) => {
    const setting = visibleLine(`${source.path} = ${JSON.stringify(source.value)}`);
    return `${setting}  ${style.quiet(visibleLine(placeOf(source)))}`;
  });
  return `${[visibleLine(where), ...posture, ...lines, ...settings].join('\n')}\n`;
}

/** Lists the guards for this workspace only. */
function openLines({ id, running, workspace, guarded = [] }: SandboxInfo, folder: string): readonly string[] {
  const line = `  ${id} is running, with ${running} active commands`;
  if (workspace !== folder || guarded.length === 0) return [line];
  const more = guarded.length > MOST_SHOWN ? `, and ${guarded.length - MOST_SHOWN} more` : '';
  return [line, `  guarded in this workspace: ${guarded.slice(0, MOST_SHOWN).join(', ')}${more}`];
}

function placeOf({ layer, file, line, variable }: SettingSource): string {
  const place = variable ?? (file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`);
  return place === '' ? layer : `${layer}  ${place}`;
}

function probeLines({ probe, backend }: SandboxExplanation): readonly string[] {
  if (probe === undefined || backend === 'off') return [];
  if (probe.ok) return [`  ${backend} ${probe.version} works here`];
  return [`  ${backend} does not work here: ${probe.message}`, `  hint: ${probe.hint}`];
}

/** Lists only failed checks, and passed ones with a note. */
function promiseLines({ probe }: SandboxExplanation): readonly string[] {
  if (probe?.ok !== true || probe.promises.length === 0) return [];
  const broken = probe.promises.filter(({ holds }) => !holds);
  const passed = probe.promises.length - broken.length;
  const notes = probe.promises.flatMap(({ id, holds, reason }) =>
    holds && reason !== undefined ? [`  note: ${id}: ${reason}`] : [],
  );
  return [`${passed} of ${probe.promises.length} isolation checks passed`, ...broken.map(brokenLine), ...notes];
}

function brokenLine({ id, what, reason }: SandboxPromise): string {
  return `  failed: ${what} (${id})${reason === undefined ? '' : `: ${reason}`}`;
}
