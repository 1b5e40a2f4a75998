/** Long and short spellings of the same option: a deny rule about one applies to the other. */

/** The long options of each program with their letter. Equivalent letters are written as one. */
const LETTERS: Readonly<Record<string, string>> = {
  rm: 'force=f recursive=r interactive=i dir=d verbose=v one-file-system= preserve-root= no-preserve-root=',
  cp: 'archive=a force=f recursive=r interactive=i no-clobber=n update=u verbose=v link=l symbolic-link=s no-dereference=P dereference=L target-directory=t',
  mv: 'force=f interactive=i no-clobber=n update=u verbose=v target-directory=t backup=b',
  ln: 'force=f symbolic=s interactive=i verbose=v no-dereference=n relative=r target-directory=t',
  chmod: 'recursive=R verbose=v changes=c silent=f quiet=f reference=',
  chown: 'recursive=R verbose=v changes=c silent=f quiet=f no-dereference=h from= reference=',
  chgrp: 'recursive=R verbose=v changes=c silent=f quiet=f no-dereference=h reference=',
  rmdir: 'parents=p verbose=v ignore-fail-on-non-empty=',
  git: 'force=f delete=d all=a amend= hard= force-with-lease= no-verify=n message=m set-upstream=u tags= prune=p quiet=q verbose=v',
  docker: 'force=f all=a volume=v privileged= interactive=i tty=t detach=d rm= volumes=v',
  kubectl: 'all-namespaces=A namespace=n filename=f output=o force= all= recursive=R',
};
const SAME_LETTER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rm: { R: 'r' },
  cp: { R: 'r', d: 'P' },
};

/** One option of a call, in every known spelling. */
interface Option {
  readonly names: ReadonlySet<string>;
  /** No spelling is known: it could mean any other option. */
  readonly isUnknown: boolean;
}

/** Whether a call includes an option of a rule in any spelling. An unknown option counts as included. */
export function includesOption(program: string, args: readonly string[], wanted: string): boolean {
  const options = optionsOf(program, args);
  return optionsOf(program, [wanted]).every(({ names, isUnknown }) =>
    options.some(
      (option) =>
        [...names].some((name) => option.names.has(name)) ||
        ((isUnknown || option.isUnknown) && kindOf(names) !== kindOf(option.names)),
    ),
  );
}

/** The arguments unchanged, then with every known option as a separate letter, and as one cluster in each order. */
export function spellingsOf(program: string, args: readonly string[]): readonly (readonly string[])[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const letters = new Set<string>();
  const others: string[] = [];
  for (const arg of args.slice(0, end)) {
    const known = arg.startsWith('-') && arg !== '-' ? lettersOf(program, arg) : undefined;
    if (known === undefined) others.push(arg);
    else for (const letter of known) letters.add(letter);
  }
  if (letters.size === 0 || letters.size > MOST_LETTERS) return [args];
  const rest = [...others, ...args.slice(end)];
  return [
    args,
    ...ordersOf([...letters]).flatMap((order) => [
      [`-${order.join('')}`, ...rest],
      [...order.map((letter) => `-${letter}`), ...rest],
    ]),
  ];
}

const MOST_LETTERS = 4;

function ordersOf(letters: readonly string[]): readonly (readonly string[])[] {
  if (letters.length <= 1) return [letters];
  return letters.flatMap((letter, i) =>
    ordersOf(letters.filter((_, at) => at !== i)).map((order) => [letter, ...order]),
  );
}

function optionsOf(program: string, args: readonly string[]): readonly Option[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args
    .slice(0, end)
    .filter((arg) => arg.startsWith('-') && arg !== '-')
    .flatMap((arg): readonly Option[] => {
      if (!arg.startsWith('--'))
        return Array.from(arg.slice(1), (letter) => ({
          names: new Set([`-${canonical(program, letter)}`]),
          isUnknown: !isKnown(program),
        }));
      const name = longName(arg);
      const known = lettersOf(program, arg);
      return [
        {
          names: new Set([`--${name}`, ...(known ?? []).map((letter) => `-${letter}`)]),
          isUnknown: known === undefined && !hasLong(program, name),
        },
      ];
    });
}

/** The letters of a cluster or a long option; GNU programs accept abbreviated long options. */
function lettersOf(program: string, arg: string): readonly string[] | undefined {
  if (!isKnown(program)) return undefined;
  if (!arg.startsWith('--')) return Array.from(arg.slice(1), (letter) => canonical(program, letter));
  const found = entriesOf(program).filter(([long, letter]) => letter !== '' && long.startsWith(longName(arg)));
  return found.length === 0 ? undefined : found.map(([, letter]) => canonical(program, letter));
}

function hasLong(program: string, name: string): boolean {
  return entriesOf(program).some(([long]) => long === name);
}

function isKnown(program: string): boolean {
  return Object.hasOwn(LETTERS, program);
}

function entriesOf(program: string): readonly (readonly [long: string, letter: string])[] {
  return (isKnown(program) ? LETTERS[program]!.split(' ') : []).map((entry) => {
    const [long = '', letter = ''] = entry.split('=');
    return [long, letter];
  });
}

function canonical(program: string, letter: string): string {
  return SAME_LETTER[program]?.[letter] ?? letter;
}

function longName(arg: string): string {
  return /^--([^=]*)/s.exec(arg)![1]!;
}

function kindOf(names: ReadonlySet<string>): 'long' | 'short' {
  return [...names][0]?.startsWith('--') === true ? 'long' : 'short';
}
