/** Parses the command line of `pincer init`. A step without a flag is undefined; the wizard asks for it. */
import { resolve } from 'node:path';
import type { InitChoices } from '../../init/init.ts';
import { type Client, CLIENTS, clientNamed, type Scope } from '../../init/clients.ts';
import { POSTURES, type PostureName } from '../../posture-choice.ts';
import { shapeOf } from '../definition.ts';
import { oneOf } from '../toolbox-options.ts';
import { type ParsedArguments, usage } from '../arguments.ts';
import { definition } from './definition.ts';

export interface InitRequest {
  readonly client?: Client;
  readonly scope?: Scope;
  readonly posture?: PostureName;
  readonly hook?: boolean;
  readonly test?: boolean;
  readonly remove: boolean;
  readonly http?: string;
  readonly workspace?: string;
  readonly preset?: string;
}

const SHAPE = shapeOf(definition);

export function readRequest({ positionals: [name], flags, options }: ParsedArguments): InitRequest {
  const client = name === undefined ? undefined : knownClient(name);
  const { http, workspace, preset, posture } = options;
  if (http !== undefined && (workspace !== undefined || preset !== undefined))
    throw usage(SHAPE, '--http excludes --workspace and --preset', 'pass them to pincer serve');
  if (http !== undefined && posture !== undefined)
    throw usage(SHAPE, '--http excludes --posture', 'run pincer init --posture on the machine of pincer serve');
  const hook = eitherOf(flags, 'hook');
  if (hook === true && client !== undefined && client.hooks === undefined)
    throw usage(SHAPE, `${client.title} does not support hooks`, 'remove --hook');
  const scope = scopeOf(client, flags);
  const test = eitherOf(flags, 'test');
  return {
    remove: flags.has('remove'),
    ...(client === undefined ? {} : { client }),
    ...(scope === undefined ? {} : { scope }),
    ...(hook === undefined ? {} : { hook }),
    ...(test === undefined ? {} : { test }),
    ...(posture === undefined ? {} : { posture: oneOf(SHAPE, '--posture', posture, POSTURES) }),
    ...(http === undefined ? {} : { http: address(http) }),
    ...(workspace === undefined ? {} : { workspace: resolve(workspace) }),
    ...(preset === undefined ? {} : { preset: presetNamed(preset) }),
  };
}

export function clientChoices(request: InitRequest): InitChoices | undefined {
  const { client, scope, remove, hook = false, http, workspace, preset } = request;
  if (client === undefined) return undefined;
  return {
    client,
    scope: scope ?? client.scopes[0],
    remove,
    hook,
    ...(http === undefined ? {} : { http }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(preset === undefined ? {} : { preset }),
  };
}

/** Refuses flags that need a client. */
export function refuseWithoutClient({ flags, options }: ParsedArguments, free: readonly string[]): void {
  const given = [...flags, ...Object.keys(options)].find((name) => !free.includes(name));
  if (given !== undefined) throw usage(SHAPE, `--${given} needs the name of a client`, `clients: ${clientNames()}`);
}

function knownClient(name: string): Client {
  const client = clientNamed(name);
  if (client === undefined) throw usage(SHAPE, `unknown client ${JSON.stringify(name)}`, `clients: ${clientNames()}`);
  return client;
}

/** `--name`, `--no-name` or neither. */
function eitherOf(flags: ReadonlySet<string>, name: string): boolean | undefined {
  if (flags.has(name) && flags.has(`no-${name}`)) throw usage(SHAPE, `--${name} and --no-${name} exclude each other`);
  return flags.has(name) ? true : flags.has(`no-${name}`) ? false : undefined;
}

function scopeOf(client: Client | undefined, flags: ReadonlySet<string>): Scope | undefined {
  if (flags.has('project') && flags.has('user')) throw usage(SHAPE, '--project and --user exclude each other');
  const asked = flags.has('project') ? 'project' : flags.has('user') ? 'user' : undefined;
  if (asked !== undefined && client?.scopes.includes(asked) === false)
    throw usage(SHAPE, `${client.title} has no project configuration`, 'remove --project');
  return asked;
}

function address(text: string): string {
  // The URL parser ignores newlines; clients may not.
  if (/^[^\s\p{Cc}"'<>\\`]+$/u.test(text) && URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) {
    const { username, password } = new URL(text);
    if (username === '' && password === '') return text;
    throw usage(SHAPE, '--http contains a password', 'remove it; the token comes from PINCER_TOKEN');
  }
  throw usage(SHAPE, `--http must be a URL such as http://127.0.0.1:7462/mcp, not ${JSON.stringify(text)}`);
}

function presetNamed(name: string): string {
  const known = definition.flags.find((flag) => flag.name === '--preset')?.values ?? [];
  if (known.includes(name)) return name;
  throw usage(SHAPE, `unknown preset ${JSON.stringify(name)}`, `presets: ${known.join(', ')}`);
}

function clientNames(): string {
  return CLIENTS.map(({ name }) => name).join(', ');
}
