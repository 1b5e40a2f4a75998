/** The layer of the environment: a variable for every setting, `tools.exec.host` as `PINCER_TOOLS_EXEC_HOST`. */
import { nearestNames } from '../../text/nearest-names.ts';
import { merge } from '../schema/merge.ts';
import type { Diagnostic } from './read.ts';
import { isSettingVariable } from '../places.ts';
import type { ConfigFile } from '../schema/schema.ts';
import { SETTINGS, type Setting } from '../schema/settings.ts';
import { readValue } from './values.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of a setting. */
export function variableOf(steps: readonly string[]): string {
  return `PINCER_${steps.map((step) => step.replace(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()).join('_')}`;
}

/** The settings by their variables. */
export const VARIABLES: ReadonlyMap<string, Setting> = new Map(
  SETTINGS.map((setting) => [variableOf(setting.steps), setting]),
);

/** What the environment says; undefined when it says nothing. A value that does not fit is a fault, as it is in a file. */
export async function readEnvironment(
  env: Environment,
): Promise<{ readonly says: ConfigFile; readonly diagnostics: readonly Diagnostic[] } | undefined> {
  let says: ConfigFile = {};
  const diagnostics: Diagnostic[] = [];
  for (const [name, typed] of settingVariables(env)) {
    const setting = VARIABLES.get(name);
    if (setting === undefined) diagnostics.push(unknownVariable(name));
    else {
      const value = await readValue(setting.schema, name, typed, 'either');
      const nested = setting.steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
      says = merge(says, nested) as ConfigFile;
    }
  }
  return Object.keys(says).length === 0 && diagnostics.length === 0 ? undefined : { says, diagnostics };
}

/** What the environment says about running commands, for whoever judges them elsewhere; undefined when it says nothing. */
export async function execInEnvironment(env: Environment): Promise<Brought | undefined> {
  const {
    tools: { fs: _, exec: all, ...others } = {},
    sandbox,
    approvals,
    agents,
  } = (await readEnvironment(env))?.says ?? {};
  const { applyPatch: __, ...exec } = all ?? {}; // which tools are offered is settled where they are offered
  const tools = { ...others, ...(Object.keys(exec).length === 0 ? {} : { exec }) };
  const says = {
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(agents === undefined ? {} : { agents }),
  };
  return Object.keys(says).length === 0 ? undefined : says;
}

type Brought = Pick<ConfigFile, 'tools' | 'sandbox' | 'approvals' | 'agents'>;

/** The variables that are settings or look like one; an empty one is one that is not set. */
function settingVariables(env: Environment): readonly (readonly [string, string])[] {
  return Object.entries(env)
    .filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '')
    .filter(([name]) => isSettingVariable(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function unknownVariable(name: string): Diagnostic {
  const [near] = nearestNames(name, [...VARIABLES.keys()]);
  const instead = near === undefined ? 'pincer config schema shows what there is' : `did you mean ${near}`;
  return { severity: 'warning', at: '', message: `has the unknown setting ${name}; ${instead}` };
}
