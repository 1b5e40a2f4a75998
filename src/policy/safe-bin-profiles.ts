/** The arguments with which a filter only reads standard input. */
export interface Profile {
  readonly minPositional: number;
  readonly maxPositional: number;
  readonly valueFlags: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
  /** Long options with an optional value after `=`. */
  readonly optional: ReadonlySet<string>;
  readonly denied: ReadonlySet<string>;
  /** `-5` is a number of lines. */
  readonly numeric: boolean;
  /** Operands are character sets, never files. */
  readonly operandsAreText: boolean;
  /** The form of option values. Any other value is a mistake, or is meant for an implementation that reads it as a file. */
  readonly valueLike: ReadonlyMap<string, RegExp>;
}

interface Row {
  readonly values?: string;
  readonly flags?: string;
  readonly optional?: string;
  readonly denied?: string;
  readonly positional?: readonly [number, number];
  readonly numeric?: true;
  readonly valueLike?: RegExp;
}

/** Options that accept any text. */
const FREE = new Set(
  '-d -t -e --delimiter --output-delimiter --field-separator --regexp --label --include --exclude'.split(' '),
);
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[bkKMGTPE]|[kKMGTPE]i?B)?$/;
const LIST_OR_WORD = /^[\w,.%+-]+$/;

const ROWS: Readonly<Record<string, Row>> = {
  cut: {
    values: '-b -c -f -d --bytes --characters --fields --delimiter --output-delimiter',
    flags: '-n -s -z --complement --only-delimited --zero-terminated',
  },
  uniq: {
    valueLike: NUMBER,
    values: '-f -s -w --skip-fields --skip-chars --check-chars',
    flags: '-c -d -D -u -i -z --count --repeated --unique --ignore-case --zero-terminated',
    optional: '--group --all-repeated',
  },
  head: {
    valueLike: NUMBER,
    values: '-n -c --lines --bytes',
    flags: '-q -v -z --quiet --silent --verbose --zero-terminated',
    numeric: true,
  },
  tail: {
    valueLike: NUMBER,
    values: '-n -c -s --lines --bytes --sleep-interval --max-unchanged-stats --pid',
    flags: '-q -v -z --quiet --silent --verbose --zero-terminated',
    denied: '-f -F --follow --retry',
    numeric: true,
  },
  tr: { flags: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1', positional: [1, 2] },
  wc: {
    values: '--total',
    flags: '-c -m -l -L -w --bytes --chars --lines --max-line-length --words',
    denied: '--files0-from',
  },
  sort: {
    values: '-k -t -S --key --field-separator --buffer-size --parallel --batch-size --sort',
    flags:
      '-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort ' +
      '--ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --merge --stable --unique ' +
      '--zero-terminated --debug',
    optional: '--check',
    denied: '-o -T --output --compress-program --files0-from --random-source --temporary-directory',
  },
  grep: {
    values:
      '-e -m -A -B -C -D --regexp --max-count --after-context --before-context --context --devices --binary-files --exclude --include --label',
    flags:
      '-E -F -G -P -i -y -v -w -x -c -l -L -o -q -s -b -h -H -n -T -z -Z -a -U --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case ' +
      '--no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --only-matching --quiet ' +
      '--silent --no-messages --byte-offset --no-filename --with-filename --line-number --initial-tab --null --null-data --text --line-buffered',
    optional: '--color --colour',
    denied: '-f -d -r -R --file --exclude-from --recursive --dereference-recursive --directories',
    numeric: true,
  },
};

const set = (text = ''): ReadonlySet<string> => new Set(text.split(' ').filter((word) => word !== ''));

const profiles = new Map<string, Profile>(
  Object.entries(ROWS).map(([name, row]) => [
    name,
    {
      minPositional: row.positional?.[0] ?? 0,
      maxPositional: row.positional?.[1] ?? 0,
      valueFlags: set(row.values),
      flags: set(row.flags),
      optional: set(row.optional),
      denied: set(row.denied),
      numeric: row.numeric === true,
      operandsAreText: row.positional !== undefined,
      valueLike: new Map(
        [...set(row.values)].filter((flag) => !FREE.has(flag)).map((flag) => [flag, row.valueLike ?? LIST_OR_WORD]),
      ),
    },
  ]),
);

export function builtInProfile(name: string): Profile | undefined {
  return profiles.get(name);
}
