import { Fault } from '../../base/fault.ts';

/** One refused variable refuses the whole command. */
export function environmentRefused(refused: readonly { readonly name: string; readonly why: string }[]): Fault {
  return new Fault(
    'EXEC_ENV_REFUSED',
    `env.${refused.map(({ name, why }) => `${name} is refused: ${why}`).join('; env.')}`,
    {
      hint: refused.some(({ name }) => name === 'PATH')
        ? 'leave it out; the operator sets such variables, and tools.exec.pathPrepend for PATH'
        : 'leave it out; the operator sets such variables',
      details: { refused },
    },
  );
}
