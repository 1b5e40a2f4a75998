/** What the operator adds to the table of files that hold secrets, as patterns of names. */
export interface SecretRules {
  /** Files whose values are hidden, too; wins over `show`. */
  readonly hide?: readonly string[];
  /** Files whose values are shown although the table hides them. */
  readonly show?: readonly string[];
}
