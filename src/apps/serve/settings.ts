/** The configuration that people paste into a client to reach this server, from the table of `pincer init`. */
import { CLIENTS, type Client, SERVER_NAME, TOKEN_VARIABLE } from '../init/clients.ts';

export interface ClientSetting {
  readonly title: string;
  /** The path of the client's file, for people. */
  readonly file: string;
  /** JSON or TOML, with the token as a reference to an environment variable. */
  readonly text: string;
}

/** The environment variable in all these settings. */
export const tokenVariable = TOKEN_VARIABLE;

const SHOWN: readonly Client['name'][] = ['claude-code', 'codex', 'gemini', 'opencode', 'cursor'];

export function clientSettings(url: string): readonly ClientSetting[] {
  const shown = CLIENTS.filter(({ name }) => SHOWN.includes(name));
  return shown.map((client) => ({ title: client.title, file: fileOf(client), text: entryText(client, url) }));
}

function fileOf(client: Client): string {
  const [file] = client.files(client.scopes[0], { folder: '.', home: '~', env: {} });
  return file;
}

function entryText(client: Client, url: string): string {
  const { format, at } = client;
  const server = client.entry({ transport: 'http', url });
  if (format === 'toml') {
    const lines = Object.entries(server).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    return [`[${[...at, SERVER_NAME].join('.')}]`, ...lines].join('\n');
  }
  return shownJson([...at, SERVER_NAME], server);
}

/** The path to the entry on one line, and each member of the entry on its own line. */
function shownJson(at: readonly string[], entry: object): string {
  const members = Object.entries(entry).map(([name, value]) => `  ${JSON.stringify(name)}: ${spaced(value)}`);
  return `${at.map((name) => `{${JSON.stringify(name)}: `).join('')}{\n${members.join(',\n')}\n}${'}'.repeat(at.length)}`;
}

function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
    .join(', ')}}`;
}
