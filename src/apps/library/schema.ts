/** The parameters of a tool as a Standard Schema: it accepts the other names of parameters, and needs no package. */
import { Fault } from '../../base/fault.ts';
import type { ToolSchema } from '../../tools/tool.ts';

type Params = Readonly<Record<string, unknown>>;

/** What the Standard Schema and Standard JSON Schema specifications ask for. */
export interface StandardParams {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'pincer';
    validate(value: unknown): { readonly value: Params } | { readonly issues: readonly { readonly message: string }[] };
    readonly jsonSchema: {
      input(options?: unknown): Record<string, unknown>;
      output(options?: unknown): Record<string, unknown>;
    };
    readonly types?: { readonly input: unknown; readonly output: Params };
  };
}

/** A schema that shows `parameters` and takes whatever `prepare` takes. */
export function standardParams(parameters: ToolSchema, prepare: (args: unknown) => Params): StandardParams {
  // Those who take a schema may add to it.
  const copy = (): Record<string, unknown> => structuredClone(parameters) as unknown as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'pincer',
      validate(value) {
        try {
          return { value: prepare(value) };
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          return {
            issues: [{ message: error.hint === undefined ? error.message : `${error.message}\n${error.hint}` }],
          };
        }
      },
      jsonSchema: { input: copy, output: copy },
    },
  };
}
