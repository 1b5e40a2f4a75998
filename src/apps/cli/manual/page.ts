/** Manual pages in roff, from the same definitions as the help. */
import { type CommandDefinition, exitRows, flagRows, type HelpRow } from '../definition.ts';

export interface ManualPage {
  readonly file: string;
  readonly text: string;
}

export interface ManualGroup {
  readonly title: string;
  readonly definitions: readonly CommandDefinition[];
}

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
      ...(exit === undefined ? [] : [section('EXIT STATUS', exitRows(exit).map(tagged).join(''))]),
      section('SEE ALSO', '.BR pincer (1)\n'),
    ].join(''),
  };
}

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
      section('EXIT STATUS', exitRows(EXIT).map(tagged).join('')),
    ].join(''),
  };
}

const ENVIRONMENT: readonly HelpRow[] = [
  { label: 'PINCER_STATE_DIR', text: 'The state folder: locks, records, sessions, the daemon.' },
  { label: 'PINCER_AGENT', text: 'The agent to act as without --agent (default: main).' },
  { label: 'PINCER_CLIENT', text: 'The client name in records of this command line (default: you).' },
  { label: 'PINCER_DAEMON_IDLE_MS', text: 'Milliseconds until an idle daemon exits (default: 600000).' },
  { label: 'NO_COLOR', text: 'Disables colours if set.' },
];
const FILES: readonly HelpRow[] = [
  { label: '/etc/pincer/pincer.jsonc', text: 'Settings of the system.' },
  { label: '~/.config/pincer/pincer.jsonc', text: 'Settings of the user.' },
  { label: 'pincer.jsonc', text: 'Settings of a project, in its folder; they may only make rules stricter.' },
  { label: '~/.local/state/pincer', text: 'The state folder, if neither PINCER_STATE_DIR nor XDG_STATE_HOME is set.' },
];
const EXIT =
  "0 done; 1 not found, refused or denied; 2 invalid arguments; 3 a file, the daemon or the system failed; 4 an approval is pending; 124 timeout; pincer exec: the command's own exit code";

function head(page: string, version: string): string {
  // No hyphenation: it would break command lines.
  return `.TH ${plain(page.toUpperCase())} 1 "" "pincer ${version}" "Pincer"\n.nh\n.ad l\n`;
}

function section(title: string, body: string): string {
  return `.SH ${title}\n${body.replace(/^\.PP\n/u, '')}`;
}

function described(usage: CommandDefinition['usage']): string {
  const withText = usage.filter(({ summary }) => summary !== '');
  return withText.map((one) => tagged({ label: `pincer ${one.line}`, text: one.summary })).join('');
}

function tagged({ label, text }: HelpRow): string {
  return text === '' ? `.PP\n${line(label)}` : `.TP\n.B ${plain(label)}\n${line(text)}`;
}

/** A text with line breaks is printed unchanged. */
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

/** Escapes roff requests and non-ASCII characters. */
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
