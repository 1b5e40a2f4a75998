/** The methods that the server of the page answers itself. */
import { object } from '../../../../wire/schema.ts';
import { bindingMethods } from './binding-methods.ts';
import { configMethods } from './config-methods.ts';
import type { PageMethod } from './page-method.ts';
import type { PageToolsOptions } from './page-tools.ts';
import { toolMethods } from './tool-methods.ts';

export interface OwnMethodsOptions extends PageToolsOptions {
  /** The program, for the `$schema` of a new configuration file. */
  readonly program: string;
}

/** By name. */
export function ownMethods(options: OwnMethodsOptions): ReadonlyMap<string, PageMethod> {
  return new Map(
    Object.entries<PageMethod>({
      ...toolMethods(options),
      ...configMethods(options.program),
      ...bindingMethods(options.program),
      'login.end': endLogin,
    }),
  );
}

const endLogin: PageMethod = {
  role: 'viewer',
  params: object({}),
  run: (_, { gateway, login, by }) => gateway.call('login.revoke', { id: login.id, by, keepCreated: true }),
};
