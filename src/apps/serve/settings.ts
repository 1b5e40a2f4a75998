/** What to paste into each client so that it reaches this server: from the table that `pincer init` writes from. */
import { CLIENTS, type Client, SERVER_NAME, TOKEN_VARIABLE } from '../init/clients.ts';

/** The setting of one client. */
export interface ClientSetting {
  readonly title: string;
  /** The file that it belongs into, as people write it. */
  readonly file: string;
  /** JSON or TOML; the token is taken from an environment variable, and stands nowhere. */
  readonly text: string;
}

/** The environment variable that every one of these settings names. */
export const tokenVariable = TOKEN_VARIABLE;

const SHOWN: readonly Client['name'][] = ['claude-code', 'codex', 'gemini', 'opencode', 'cursor'];

/** The settings of the clients that are shown at the start, for a server at this address. */
export function clientSettings(url: string): readonly ClientSetting[] {
  const shown = CLIENTS.filter(({ name }) => SHOWN.includes(name));
  return shown.map((client) => ({ title: client.title, file: fileOf(client), text: textOf(client, url) }));
}

function fileOf(client: Client): string {
  const [file] = client.files(client.scopes[0], { folder: '.', home: '~', env: {} });
  return file;
}

function textOf(client: Client, url: string): string {
  const { format, at } = client;
  const server = client.entry({ transport: 'http', url });
  if (format === 'toml') {
    const lines = Object.entries(server).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    return [`[${[...at, SERVER_NAME].join('.')}]`, ...lines].join('\n');
  }
  return shownJson([...at, SERVER_NAME], server);
}

/** What leads to the entry shares a line, and each member of the entry has one. */
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
