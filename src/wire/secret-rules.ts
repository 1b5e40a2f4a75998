/** What the operator adds to the table of files that hold secrets, as patterns of names. */
import { array, type Infer, partial, string } from './schema.ts';

export const secretRules = partial({
  /** Files whose values are hidden, too; wins over `show`. */
  hide: array(string()),
  /** Files whose values are shown although the table hides them. */
  show: array(string()),
});
export type SecretRules = Infer<typeof secretRules>;
