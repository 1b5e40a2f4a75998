/** Passwords in short options of known programs: `mysql -psecret`, `curl -u user:secret`. */
import { commandEnd, isInside, stretchAt, type Stretch, valueEnd } from './quoting.ts';
import type { Span } from './spans.ts';

interface Program {
  readonly name: RegExp;
  readonly options: readonly string[];
  /** The value is part of the option's word; the next word is something else. */
  readonly joined?: true;
}

const PROGRAMS: readonly Program[] = [
  { name: /^(?:mysql|mariadb|7z)/u, options: ['-p'], joined: true },
  { name: /^(?:sshpass|mongo|docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az$|cf$)/u, options: ['-p'] },
  { name: /^(?:curl|wget)/u, options: ['-u', '-U'] },
  { name: /^(?:http|https|xh|redis-cli|valkey-cli|keydb-cli)$/u, options: ['-a'] },
  { name: /^(?:ldap|ipa$)/u, options: ['-w', '-y'] },
  { name: /^(?:sqlcmd|bcp|isql|tsql|zip|unzip|zipcloak|ipmitool)/u, options: ['-P'] },
  { name: /^(?:smbclient|rpcclient|smbget|winexe|wmic)/u, options: ['-U'] },
];

const WORDS = /[^\s"'`;|&()<>]+/gu;

export function shortOptionSpans(text: string, stretches: readonly Stretch[]): readonly Span[] {
  const found: Span[] = [];
  let program: (Program & { readonly until: number }) | undefined;
  WORDS.lastIndex = 0;
  for (let word = WORDS.exec(text); word !== null; word = WORDS.exec(text)) {
    const [at, whole] = [word.index, word[0]];
    if (program !== undefined && at < program.until) {
      const option = program.options.find((one) => whole.startsWith(one) && !whole.startsWith('--'));
      const span = option === undefined ? undefined : valueOf(text, at + option.length, program, stretches);
      if (span !== undefined) {
        found.push(span);
        WORDS.lastIndex = Math.max(span.end, WORDS.lastIndex);
      }
      if (option !== undefined) continue;
    }
    const name = whole.slice(whole.lastIndexOf('/') + 1);
    const known = PROGRAMS.find((one) => one.name.test(name));
    if (known === undefined) continue;
    const isSameCommand = program !== undefined && at < program.until;
    program = { ...known, until: isSameCommand ? program!.until : commandEnd(text, at, stretchAt(stretches, at)) };
  }
  return found;
}

const BLANKS = /(?:[ \t]|\\\r?\n)*/uy;

function valueOf(text: string, at: number, { joined }: Program, stretches: readonly Stretch[]): Span | undefined {
  const isJoined = at < text.length && !/\s/u.test(text[at]!);
  if (joined === true && !isJoined) return undefined;
  BLANKS.lastIndex = at;
  BLANKS.exec(text);
  const start = isJoined ? at : BLANKS.lastIndex;
  const stretch = stretchAt(stretches, start);
  const end = valueEnd(text, start, stretch);
  return end > start || isInside(start, stretch) ? { start, end } : undefined;
}
