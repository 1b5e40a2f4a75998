/** A tool as a family of models knows it: its parameters under the names of a preset. */
import type { PropertySchema } from '../../../tools/tool.ts';
import type { ToolInfo } from '../../assemble.ts';
import { type PresetName, type Spelling, SPELLINGS } from './names.ts';

/** The tool with the names of the preset; what is not listed is accepted all the same. */
export function presentTool(info: ToolInfo, preset: PresetName | undefined): ToolInfo {
  const spelling = preset === undefined ? undefined : SPELLINGS[preset][info.name];
  if (spelling === undefined) return info;
  const { properties, required } = info.inputSchema;
  const shown = spelling.shown ?? Object.keys(properties);
  const listed = (name: string): string => spelling.names?.[name] ?? name;
  const described = shown.flatMap((name) => {
    const property = spelling.schemas?.[name] ?? properties[name];
    return property === undefined ? [] : [[listed(name), respelt(property, spelling)] as const];
  });
  return {
    ...info,
    description: descriptionOf(info.description, spelling),
    inputSchema: { ...info.inputSchema, properties: Object.fromEntries(described), required: required.map(listed) },
    aliases: Object.fromEntries(shown.map((name) => [listed(name), otherNames(info, name, listed(name))])),
  };
}

/** Every name that stands for the same parameter, its canonical one included. */
function otherNames({ aliases }: ToolInfo, canonical: string, listed: string): readonly string[] {
  return [canonical, ...(aliases[canonical] ?? [])].filter((name) => name !== listed);
}

function descriptionOf(own: string, spelling: Spelling): string {
  const text = spelling.description ?? inWordsOf(spelling, own);
  return spelling.note === undefined ? text : `${text} ${spelling.note}`;
}

/** A property and all inside of it under the names of the preset. */
function respelt(property: PropertySchema, spelling: Spelling): PropertySchema {
  const { description, items, properties, required, ...rest } = property;
  return {
    ...rest,
    ...(description === undefined ? {} : { description: inWordsOf(spelling, description) }),
    ...(items === undefined ? {} : { items: respelt(items, spelling) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [
              spelling.names?.[name] ?? name,
              respelt(inner, spelling),
            ]),
          ),
        }),
    ...(required === undefined ? {} : { required: required.map((name) => spelling.names?.[name] ?? name) }),
  };
}

/** The text with the listed names; only names that are no words of the language can be told from the text around them. */
function inWordsOf({ names = {} }: Spelling, text: string): string {
  return Object.entries(names)
    .filter(([canonical]) => isCoined(canonical))
    .reduce((words, [canonical, listed]) => words.replaceAll(new RegExp(`\\b${canonical}\\b`, 'gu'), listed), text);
}

function isCoined(name: string): boolean {
  return /[A-Z]/u.test(name);
}
