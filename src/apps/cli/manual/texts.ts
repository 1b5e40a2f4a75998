/** Texts that scripts write to files: the manual pages, and the help of every command. */
import { version } from '../../../../package.json';
import { COMMAND_GROUPS } from '../commands.ts';
import { helpOf } from '../definition.ts';
import { commandPage, type ManualGroup, type ManualPage, programPage } from './page.ts';

const WIDTH = 100;

async function groups(): Promise<readonly ManualGroup[]> {
  return Promise.all(
    COMMAND_GROUPS.map(async ({ title, commands }) => {
      const definitions = await Promise.all(commands.map((command) => command.load()));
      return { title, definitions: definitions.filter(({ hidden }) => hidden !== true) };
    }),
  );
}

export async function manualPages(): Promise<readonly ManualPage[]> {
  const all = await groups();
  const commands = all.flatMap(({ definitions }) => definitions.map((definition) => commandPage(definition, version)));
  return [programPage(all, version), ...commands];
}

export async function helpTexts(): Promise<
  readonly { readonly name: string; readonly summary: string; readonly text: string }[]
> {
  const definitions = (await groups()).flatMap((group) => group.definitions);
  return definitions.map((one) => ({ name: one.name, summary: one.summary, text: helpOf(one, WIDTH) }));
}
