/** Pages of the manual in the language of `man`, from the same definitions as the help. */
import { type CommandDefinition, flagRows, type HelpRow } from '../definition.ts';

/** One page: the name of its file, and its text. */
export interface ManualPage {
  readonly file: string;
  readonly text: string;
}

/** Commands under a heading. */
export interface ManualGroup {
  readonly title: string;
  readonly definitions: readonly CommandDefinition[];
}

/** The page of one command. */
export function commandPage(definition: CommandDefinition, version: string): ManualPage {
  const { name, summary, title, usage, examples, notes = [], exit } = definition;
  const flags = flagRows(definition);
  const page = `pincer-${name}`;
  return {
    file: `${page}.1`,
    text: [
      head(page, version),
      section('NAME', `${plain(page)} \\- ${plain(summary)}\n`),
      section('SYNOPSIS', usage.map(({ line }) => `.B pincer ${plain(line)}\n`).join('.br\n')),
      section('DESCRIPTION', `${paragraphs([`${capital(title ?? summary)}.`])}${described(usage)}`),
      ...(flags.length === 0 ? [] : [section('OPTIONS', flags.map(tagged).join(''))]),
      ...(notes.length === 0 ? [] : [section('NOTES', paragraphs(notes))]),
      section('EXAMPLES', paragraphs([`${examples.map((one) => `pincer ${one}`).join('\n')}\n`])),
      ...(exit === undefined ? [] : [section('EXIT STATUS', paragraphs([exit]))]),
      section('SEE ALSO', '.BR pincer (1)\n'),
    ].join(''),
  };
}

/** The page of the program itself. */
export function programPage(groups: readonly ManualGroup[], version: string): ManualPage {
  const lists = groups.map(({ title, definitions }) => {
    const rows = definitions.map(({ name, summary }) => `.TP\n.BR pincer\\-${name} (1)\n${line(summary)}`);
    return `.SS ${plain(capital(title))}\n${rows.join('')}`;
  });
  return {
    file: 'pincer.1',
    text: [
      head('pincer', version),
      section('NAME', 'pincer \\- hands for agents\n'),
      section('SYNOPSIS', '.B pincer\n.I command\n[\\fIargument\\fR ...]\n.br\n.B pincer help\n.I command\n'),
      section('COMMANDS', lists.join('')),
      section('ENVIRONMENT', ENVIRONMENT.map(tagged).join('')),
      section('FILES', FILES.map(tagged).join('')),
      section('EXIT STATUS', paragraphs([EXIT])),
    ].join(''),
  };
}

const ENVIRONMENT: readonly HelpRow[] = [
  { label: 'PINCER_STATE_DIR', text: 'The folder for what is kept between runs.' },
  { label: 'PINCER_AGENT', text: 'The agent that commands work for, where none is named; else main.' },
  { label: 'PINCER_CLIENT', text: 'The client that records name for this command line; else you.' },
  { label: 'PINCER_DAEMON_IDLE_MS', text: 'How long a daemon that has nothing to do stays.' },
  { label: 'NO_COLOR', text: 'Anything here keeps colours out of the output.' },
];
const FILES: readonly HelpRow[] = [
  { label: '/etc/pincer/pincer.jsonc', text: 'Settings of the system.' },
  { label: '~/.config/pincer/pincer.jsonc', text: 'Settings of the user.' },
  { label: 'pincer.jsonc', text: 'Settings of a project, in its folder; they may only tighten what the others say.' },
  { label: '~/.local/state/pincer', text: 'The state folder, unless PINCER_STATE_DIR or XDG_STATE_HOME name another.' },
];
const EXIT =
  '0 yes or done; 1 no: nothing found, refused, denied; 2 wrong arguments; 3 a file, the daemon or the system failed; 4 an approval is pending; 124 a timeout. pincer exec exits as its command did.';

function head(page: string, version: string): string {
  // Words of a command line may not be broken.
  return `.TH ${plain(page.toUpperCase())} 1 "" "pincer ${version}" "Pincer"\n.nh\n.ad l\n`;
}

function section(title: string, body: string): string {
  return `.SH ${title}\n${body}`;
}

function described(usage: CommandDefinition['usage']): string {
  const told = usage.filter(({ summary }) => summary !== '');
  return told.map((one) => tagged({ label: `pincer ${one.line}`, text: one.summary })).join('');
}

function tagged({ label, text }: HelpRow): string {
  return `.TP\n.B ${plain(label)}\n${line(text)}`;
}

/** One with line breaks stands as it is. */
function paragraphs(texts: readonly string[]): string {
  const shown = texts.map((text) =>
    text.includes('\n') ? `.nf\n${text.split('\n').map(line).join('')}.fi\n` : line(text),
  );
  return shown.join('.PP\n');
}

function line(text: string): string {
  const shown = plain(text);
  return `${/^[.']/u.test(shown) ? '\\&' : ''}${shown === '' ? '\\&' : shown}\n`;
}

/** Text in which nothing is a command of the typesetter, in ASCII. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replace(/[^\n -~]/gu, (char) => `\\[u${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`);
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
