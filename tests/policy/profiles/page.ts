/** The list of programs with profiles in docs/exec.md, from the data. */
import { FAMILIES } from '../../../src/policy/profiles/index.ts';
import { CALL_CLASSES, type CallClass, type Profile } from '../../../src/wire/profile.ts';

const WIDTH = 128;

/** The calls of each class, family by family. */
export function listOfProfiles(): string {
  return CALL_CLASSES.map((one) => {
    const families = FAMILIES.flatMap(({ title, programs }) => {
      const calls = Object.entries(programs).flatMap(([name, profile]) => callsOf(name, profile, one));
      return calls.length === 0 ? [] : [wrapped(`- ${title}: ${calls.map((call) => `\`${call}\``).join(', ')}`)];
    });
    return families.length === 0 ? '' : `\n**${one}**\n\n${families.join('')}`;
  })
    .concat(
      `\nRead for these versions:\n\n${FAMILIES.map(({ title, read }) => wrapped(`- ${title}: ${read}`)).join('')}`,
    )
    .join('');
}

function callsOf(name: string, profile: Profile, one: CallClass): readonly string[] {
  const byOption = Object.entries(profile.classWith ?? {}).flatMap(([option, other]) =>
    other === one && other !== profile.class ? [`${name} ${option}`] : [],
  );
  if (profile.subcommands === undefined) return profile.class === one ? [name, ...byOption] : byOption;
  const subcommands = Object.entries(profile.subcommands).flatMap(([subcommand, { class: own = profile.class }]) =>
    own === one ? [`${name} ${subcommand}`] : [],
  );
  return [...byOption, ...subcommands];
}

/** Lines that a reader can compare; a call stays on one line. */
function wrapped(text: string): string {
  const lines = [''];
  for (const part of text.split(/(?<=[,:]) /u)) {
    const line = lines[lines.length - 1]!;
    if (line !== '' && line.length + 1 + part.length > WIDTH) lines.push(`  ${part}`);
    else lines[lines.length - 1] = line === '' ? part : `${line} ${part}`;
  }
  return `${lines.join('\n')}\n`;
}
