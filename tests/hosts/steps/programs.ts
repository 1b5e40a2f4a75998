/**
 * Random programs of the grammar of compound commands, as text. They avoid what is documented to differ from a shell: programs of
 * a pipeline read no file that the pipeline writes, and a command does not read the file that its output goes to.
 */

export type Random = () => number;

/** The files of the folder in which each program starts. */
export const START_FILES: Readonly<Record<string, string>> = {
  a: 'b\na\nc c\n',
  'd/x': 'x 1\ny 2\nx 1\n',
  'd/y': 'no newline',
  'd/e/deep': 'deep\n',
  'e f': 'blank\n',
  '.hid': 'hidden\n',
};
export const START_LINKS: Readonly<Record<string, string>> = { l: 'a', 'd/up': '../a', broken: 'nothing' };

const READ = ['a', 'd/x', 'd/y', "'e f'", 'l', 'missing', 'd', './a', 'd/../a', 'w1', 'w2'] as const;
const STILL = ['a', 'd/x', 'd/y', "'e f'", 'l', 'missing', 'd'] as const;
const WRITE = ['w1', 'w2', 'd/w3', "'w 4'", 'missing/w', 'd', './w1'] as const;
const GLOBS = ['*', 'd/*', '?', '[ad]', 'w*', '*/x', 'none*', '[a-d]*'] as const;
const WORDS = ['hi', "'a b'", '"c  d"', '\\*', "''", '"$?"', '$?', 'x=y', '-', "it\\'s"] as const;

export function randomProgram(random: Random): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const maybe = (share: number): boolean => random() < share;
  const count = (most: number): number => 1 + Math.floor(random() * most);
  const many = <T>(most: number, make: () => T): readonly T[] => Array.from({ length: count(most) }, make);
  const hasFolders = maybe(0.25);

  /** A program that reads only these names. */
  const reader = (names: readonly string[]): string => {
    const name = () => pick(names);
    return pick<() => string>([
      () => `cat ${many(2, name).join(' ')}`,
      () => `sort ${maybe(0.5) ? '-r ' : ''}${name()}`,
      () => `wc -l ${name()}`,
      () => `head -n ${count(2)} ${name()}`,
      () => `grep ${pick(['a', 'x', 'nothing', "'c c'"])} ${name()}`,
      () => `uniq -c ${name()}`,
      () => `test -f ${name()}`,
      () => `[ -d ${name()} ]`,
      () => `printf '%s\\n' ${many(2, () => pick(WORDS)).join(' ')}`,
      () => `echo ${many(3, () => pick(WORDS)).join(' ')}`,
      () => `seq ${count(5)}`,
      () => pick(['true', 'false', ':']),
    ])();
  };
  const filter = (): string =>
    pick([
      'cat',
      'sort',
      'wc -c',
      'tr a-z A-Z',
      'head -n 1',
      'uniq',
      'tail -n 2',
      'grep -v a',
      "sed 's/a/b/'",
      'false',
    ]);
  const errors = (): string => pick(['', '', ' 2>/dev/null', ' 2>&1', ' 2>w2', ' 2>>d/w3']);
  const output = (): string =>
    pick([
      () => ` > ${pick(WRITE)}`,
      () => ` >> ${pick(WRITE)}`,
      () => ` >${pick(WRITE)} 2>&1`,
      () => ` 2>&1 >${pick(WRITE)}`,
      () => ` &> ${pick(WRITE)}`,
      () => ` > /dev/null`,
      () => ` > w1 > w2`,
    ])();
  const input = (names: readonly string[]): string =>
    pick([
      () => ` < ${pick(names.filter((name) => name !== 'd'))}`,
      () => ` <<< ${pick(['hi', "'a  b'", '"c d"', 'x\\*'])}`,
      () => ` < /dev/null`,
    ])();

  const verb = (): string => {
    const any = () => pick([...READ, 'n1', 'n1/n2', 'd/w3', 'd/e']);
    const path = () => (maybe(0.1) ? pick(GLOBS) : any());
    const gone = () => (hasFolders ? pick(['a', 'w1', 'w2', 'd/x', 'n1', 'missing', "'e f'", 'l']) : path());
    return pick<() => string>([
      () => `mkdir ${maybe(0.4) ? '-p ' : ''}${many(2, any).join(' ')}`,
      () => `touch ${many(2, any).join(' ')}`,
      () => `rm ${pick(['', '-f ', '-r ', '-rf '])}${many(2, gone).join(' ')}`,
      () => `rmdir ${gone()}`,
      () => `cp ${pick(['', '-r ', '-n '])}${path()} ${any()}`,
      () => `mv ${pick(['', '-n '])}${gone()} ${any()}`,
      () => `chmod ${pick(['600', '755', 'u+x', 'go-w', 'a+r', 'g=u', '+x'])} ${path()}`,
    ])();
  };

  const single = (): string => {
    if (maybe(0.35)) return `${verb()}${pick(['', '', ' 2>/dev/null', ' 2>&1'])}`;
    if (maybe(0.15)) return `${pick(['echo', 'printf "%s "', 'cat', 'wc -l'])} ${pick(GLOBS)}${errors()}`;
    if (maybe(0.2)) return `${filter()}${input(STILL)}${maybe(0.5) ? ` > ${pick(['w1', 'd/w3'])}` : ''}`;
    if (maybe(0.4)) return `${reader(STILL)}${output()}`;
    if (maybe(0.1)) return `cat <<'END'${maybe(0.5) ? ' > w1' : ''}\n$a \`b\`\n  end\nEND\n`;
    return `${reader(READ)}${errors().replaceAll(/2>+(?:w2|d\/w3)/gu, '')}`;
  };
  /** Its programs run at the same time. */
  const several = (): string => {
    const parts = [reader(STILL)];
    for (let left = count(2); left > 0; left--) parts.push(maybe(0.25) ? `tee ${maybe(0.5) ? '-a ' : ''}w1` : filter());
    const last = pick(['', '', ' > w2', ' >> d/w3', ' 2>&1']);
    const tees = parts.filter((part) => part.startsWith('tee')).length;
    // A program that ends without reading ends `tee` early in a shell.
    const isRace = tees > 1 || (tees === 1 && parts.includes('false'));
    return isRace ? `${reader(STILL)} | cat` : `${parts.join(pick([' | ', ' |& ']))}${last}`;
  };
  const step = (): string => {
    if (hasFolders && maybe(0.3)) return `cd ${pick(['d', 'missing', 'a', 'd/e', './d'])}`;
    const text = maybe(0.3) ? several() : single();
    return maybe(0.1) ? `! ${text}` : text;
  };
  let text = step();
  for (let left = count(4) - 1; left > 0; left--) {
    const isOpen = text.endsWith('END\n');
    text += isOpen ? step() : `${pick([' && ', ' || ', '; ', '\n'])}${step()}`;
  }
  return text;
}
