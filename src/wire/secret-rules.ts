/** The operator's additions to the table of files with secrets, as patterns of file names. */
import { array, type Infer, partial, string } from './schema.ts';

export const secretRules = partial({
  /** Additional files whose values are hidden; overrides `show`. */
  hide: array(string()),
  /** Files whose values are shown although the table hides them. */
  show: array(string()),
});
export type SecretRules = Infer<typeof secretRules>;
