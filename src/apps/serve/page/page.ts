/** The control page of a server: its files, its login, and its socket. */
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hono } from 'hono';
import type { Gateway } from '../../../wire/methods.ts';
import type { Env } from '../answer.ts';
import { type BuiltPage, builtPage } from './built-files.ts';
import type { ConnectionOptions } from './connection.ts';
import { DAEMON_METHODS } from './methods/daemon-methods.ts';
import { type OwnMethodsOptions, ownMethods } from './methods/own-methods.ts';
import { NOT_FOUND } from './plain-pages.ts';
import { pageRoutes } from './routes.ts';
import { recorder } from './methods/recorder.ts';
import { createPageSocket, type PageSocket } from './socket.ts';

/** The files of the page are in the folder of the program. */
export interface ControlPageOptions extends OwnMethodsOptions {
  readonly port: number;
  readonly version: string;
  readonly served: ConnectionOptions['served'];
  readonly gateway: () => Promise<Gateway>;
  readonly log: (text: string) => void;
}

export interface ControlPage extends PageSocket {
  register(app: Hono<Env>): void;
  /** For a browser at an address that is not part of the page. */
  notFound(): string;
}

export function controlPage(options: ControlPageOptions): ControlPage {
  const { program, port, version, served, gateway, log } = options;
  const built = builtPage(join(dirname(program), 'page'));
  const socket = createPageSocket({
    port,
    gateway,
    served,
    about: { version, machine: hostname() },
    methods: new Map([...DAEMON_METHODS, ...ownMethods(options)]),
    record: recorder(),
    log,
  });
  return {
    ...socket,
    register: (app) => pageRoutes(app, { built, gateway, port }),
    notFound: () => NOT_FOUND(stylesOf(built)),
  };
}

/** Without them while a build replaces the files: nothing catches what the listener throws. */
function stylesOf(built: () => BuiltPage | undefined): string | undefined {
  try {
    return built()?.styles;
  } catch {
    return undefined;
  }
}
