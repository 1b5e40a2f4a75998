import type { PropertySchema } from '../../../tools/tool.ts';
import type { ToolInfo } from '../../assemble.ts';
import { type PresetName, type Spelling, SPELLINGS } from './names.ts';

/** The tool with the parameter names of the preset. Parameters that are not listed are still accepted. */
export function presentTool(info: ToolInfo, preset: PresetName | undefined): ToolInfo {
  const spelling = preset === undefined ? undefined : SPELLINGS[preset][info.name];
  if (spelling === undefined) return info;
  const { properties, required } = info.inputSchema;
  const shown = spelling.shown ?? Object.keys(properties);
  const listed = (name: string): string => spelling.names?.[name] ?? name;
  const described = shown.flatMap((name) => {
    const property = spelling.schemas?.[name] ?? properties[name];
    return property === undefined ? [] : [[listed(name), renameProperty(property, spelling)] as const];
  });
  return {
    ...info,
    description: descriptionOf(info.description, spelling),
    inputSchema: { ...info.inputSchema, properties: Object.fromEntries(described), required: required.map(listed) },
    aliases: Object.fromEntries(shown.map((name) => [listed(name), otherNames(info, name, listed(name))])),
  };
}

/** All other names of the parameter, including its canonical one. */
function otherNames({ aliases }: ToolInfo, canonical: string, listed: string): readonly string[] {
  return [canonical, ...(aliases[canonical] ?? [])].filter((name) => name !== listed);
}

function descriptionOf(own: string, spelling: Spelling): string {
  const text = spelling.description ?? renameInText(spelling, own);
  return spelling.note === undefined ? text : `${text} ${spelling.note}`;
}

/** Renames nested properties, too. */
function renameProperty(property: PropertySchema, spelling: Spelling): PropertySchema {
  const { description, items, properties, required, ...rest } = property;
  return {
    ...rest,
    ...(description === undefined ? {} : { description: renameInText(spelling, description) }),
    ...(items === undefined ? {} : { items: renameProperty(items, spelling) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [
              spelling.names?.[name] ?? name,
              renameProperty(inner, spelling),
            ]),
          ),
        }),
    ...(required === undefined ? {} : { required: required.map((name) => spelling.names?.[name] ?? name) }),
  };
}

/** Replaces camel-case names only: others could be ordinary words. */
function renameInText({ names = {} }: Spelling, text: string): string {
  return Object.entries(names)
    .filter(([canonical]) => /[A-Z]/u.test(canonical))
    .reduce((words, [canonical, listed]) => words.replaceAll(new RegExp(`\\b${canonical}\\b`, 'gu'), listed), text);
}
