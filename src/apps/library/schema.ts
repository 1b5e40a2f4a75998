/** The parameters of a tool as a Standard Schema that accepts aliases, without a package. */
import { Fault } from '../../base/fault.ts';
import type { ToolSchema } from '../../tools/tool.ts';

type Params = Readonly<Record<string, unknown>>;

/** The Standard Schema and Standard JSON Schema specifications. */
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

/** A schema that publishes `parameters` and accepts all values that `prepare` accepts. */
export function standardParams(parameters: ToolSchema, prepare: (args: unknown) => Params): StandardParams {
  // SDKs may modify the schema.
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
