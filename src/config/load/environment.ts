/** The environment as a layer: every setting has a variable, such as `PINCER_TOOLS_EXEC_HOST` for `tools.exec.host`. */
import { nearestNames } from '../../text/nearest-names.ts';
import { merge } from '../schema/merge.ts';
import type { Diagnostic } from './read.ts';
import { isSettingVariable } from '../config-files.ts';
import type { ConfigFile } from '../schema/schema.ts';
import { SETTINGS, type Setting } from '../schema/settings.ts';
import { parseSettingValue } from './setting-value.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export function variableOf(steps: readonly string[]): string {
  return `PINCER_${steps.map((step) => step.replace(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()).join('_')}`;
}

export const VARIABLES: ReadonlyMap<string, Setting> = new Map(
  SETTINGS.map((setting) => [variableOf(setting.steps), setting]),
);

/** Returns undefined when no variable is set. An invalid value is a fault, as in a file. */
export async function readEnvironment(
  env: Environment,
): Promise<{ readonly values: ConfigFile; readonly diagnostics: readonly Diagnostic[] } | undefined> {
  let values: ConfigFile = {};
  const diagnostics: Diagnostic[] = [];
  for (const [name, typed] of settingVariables(env)) {
    const setting = VARIABLES.get(name);
    if (setting === undefined) diagnostics.push(unknownVariable(name));
    else {
      const value = await parseSettingValue(setting.schema, name, typed, 'either');
      const nested = setting.steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
      values = merge(values, nested) as ConfigFile;
    }
  }
  return Object.keys(values).length === 0 && diagnostics.length === 0 ? undefined : { values, diagnostics };
}

type Restrictions = Pick<ConfigFile, 'tools' | 'sandbox' | 'approvals' | 'agents'>;

/** The settings about running commands that a caller sends to the daemon; undefined when there are none. */
export async function environmentRestrictions(env: Environment): Promise<Restrictions | undefined> {
  const {
    tools: { fs: _, exec: all, ...others } = {},
    sandbox,
    approvals,
    agents,
  } = (await readEnvironment(env))?.values ?? {};
  const { applyPatch: __, ...exec } = all ?? {}; // the process that offers the tools applies it
  const tools = { ...others, ...(Object.keys(exec).length === 0 ? {} : { exec }) };
  const restrictions = {
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(agents === undefined ? {} : { agents }),
  };
  return Object.keys(restrictions).length === 0 ? undefined : restrictions;
}

/** Also variables that only look like a setting. An empty variable counts as unset. */
export function settingVariables(env: Environment): readonly (readonly [string, string])[] {
  return Object.keys(env)
    .filter(isSettingVariable)
    .map((name) => [name, env[name] ?? ''] as const)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function unknownVariable(name: string): Diagnostic {
  const [near] = nearestNames(name, [...VARIABLES.keys()]);
  const instead = near === undefined ? 'pincer config schema lists the settings' : `did you mean ${near}`;
  return { severity: 'warning', at: '', message: `unknown setting ${name}; ${instead}` };
}
