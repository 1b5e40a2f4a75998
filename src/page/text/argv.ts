/** Arguments as a person reads them: quoted where their ends would not be visible, so that `"a b"` and `a b` differ. */
export function argvText(argv: readonly string[]): string {
  return argv.map(argumentText).join(' ');
}

function argumentText(argument: string): string {
  return /^[\w@%+=:,./-]+$/u.test(argument) ? argument : JSON.stringify(argument);
}
