/** Translates the parameters of a call from the names and units of a model family to those of the tool. */
import { Fault } from '../../../base/fault.ts';
import { FOREIGN, type ForeignName, type PresetName, UNITS } from './names.ts';

type Args = Readonly<Record<string, unknown>>;

/**
 * `tool` is the canonical name. The tool itself resolves canonical names and its own aliases; this translates only names
 * that the tool does not know.
 */
export function fromPreset(tool: string, args: Args, preset: PresetName | undefined): Args {
  const units = Object.entries(own(preset === undefined ? {} : (UNITS[preset] ?? {}), tool) ?? {});
  const foreign = (own(FOREIGN, tool) ?? []).filter(({ name }) => Object.hasOwn(args, name));
  const scaled = units.filter(([name]) => typeof args[name] === 'number');
  if (foreign.length === 0 && scaled.length === 0) return args;
  const taken: Record<string, unknown> = { ...args };
  for (const [name, per] of scaled) taken[name] = (args[name] as number) / per;
  for (const { name } of foreign) delete taken[name];
  for (const entry of foreign) translate(tool, taken, entry, args[entry.name]);
  return taken;
}

/** An own property only: the client chooses the name, which may be `constructor`. */
function own<T>(record: Readonly<Record<string, T>>, tool: string): T | undefined {
  return Object.hasOwn(record, tool) ? record[tool] : undefined;
}

function translate(tool: string, taken: Record<string, unknown>, { name, means, per = 1 }: ForeignName, sent: unknown) {
  if (means === undefined || sent === undefined || sent === null) return;
  const value = typeof sent === 'number' ? sent / per : sent;
  const present = Object.hasOwn(taken, means) ? taken[means] : undefined;
  if (present !== undefined && present !== null && present !== value)
    throw new Fault('PARAM_CONFLICT', `${tool}: ${means} and ${name} are the same parameter with different values`, {
      hint: `give ${means} only`,
      details: { parameter: means },
    });
  taken[means] = value;
}
