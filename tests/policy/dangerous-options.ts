/** Calls with options that run programs, write files or load settings: by every spelling that some parser accepts. */
import { toolFlags } from '../../src/policy/programs/tool-flags.ts';

/** Options of git, by subcommand; without `--`. The first row is for those before the subcommand. */
const GIT: Readonly<Record<string, string>> = {
  '': 'exec-path git-dir work-tree namespace config-env attr-source super-prefix bare',
  rebase: 'exec interactive gpg-sign strategy edit-todo',
  push: 'exec receive-pack',
  clone: 'template config upload-pack recurse-submodules separate-git-dir reference reference-if-able bundle-uri',
  fetch: 'upload-pack recurse-submodules',
  pull: 'upload-pack rebase=interactive gpg-sign strategy recurse-submodules',
  'ls-remote': 'upload-pack exec',
  grep: 'open-files-in-pager',
  diff: 'ext-diff output textconv',
  log: 'ext-diff output textconv show-signature',
  show: 'ext-diff output textconv show-signature',
  blame: 'textconv contents',
  archive: 'exec remote output add-file',
  commit: 'gpg-sign edit template interactive patch',
  tag: 'sign local-user edit verify',
  merge: 'gpg-sign edit strategy',
  am: 'gpg-sign interactive',
  'cherry-pick': 'gpg-sign edit strategy',
  revert: 'gpg-sign edit strategy',
  'format-patch': 'output-directory output ext-diff',
  'range-diff': 'ext-diff output textconv',
  submodule: 'reference',
  init: 'template separate-git-dir',
  add: 'edit interactive patch',
  'cat-file': 'textconv filters',
  repack: 'expire-to',
  'send-email': 'smtp-server sendmail-cmd to-cmd cc-cmd',
  difftool: 'extcmd tool gui',
  mergetool: 'tool gui',
};

/** Programs with a table of dangerous options. */
const TOOLS =
  'tar cpio sort shuf split iconv fd ag ack man info less bat delta date hostname file install patch sdiff diff3 rsync curl wget nc ncat tcpdump nmap ss gpg nm strip objdump dpkg dpkg-deb jq rpm svn hg pandoc enscript fuser journalctl sysctl logger updatedb ctags bison flex xz pv xmllint yq dmsetup';

export interface OptionCall {
  readonly program: string;
  readonly command: string;
}

/** Each option in full, every beginning of it, with `=`, with a value, and behind or before other words. */
export function dangerousOptions(): readonly OptionCall[] {
  return [...gitCalls(), ...toolCalls()];
}

function gitCalls(): readonly OptionCall[] {
  return Object.entries(GIT).flatMap(([subcommand, options]) =>
    options.split(' ').flatMap((option) =>
      spellings(option).flatMap((spelling) => {
        const words = subcommand === '' ? `${spelling} status` : `${subcommand} ${spelling}`;
        return [`git ${words}`, `git ${words} HEAD`, `git -C . ${words}`].map((command) => ({
          program: 'git',
          command,
        }));
      }),
    ),
  );
}

function toolCalls(): readonly OptionCall[] {
  return TOOLS.split(' ').flatMap((program) => {
    const { long = '', short = '', words = '', harmless = '' } = toolFlags(program) ?? {};
    const isHarmless = (spelling: string): boolean =>
      harmless.split(' ').includes(spelling.replace(/^--/u, '').replace(/[= ].*$/su, ''));
    const calls = [
      ...listed(long).flatMap(spellings),
      ...[...short].flatMap((letter) => [`-${letter}`, `-${letter}x`, `-${letter} x`]),
      ...listed(words).flatMap((word) => [word, `${word}=x`, `${word} x`]),
    ].filter((spelling) => !isHarmless(spelling));
    return calls.flatMap((spelling) =>
      [`${program} ${spelling}`, `${program} ${spelling} a`].map((command) => ({ program, command })),
    );
  });
}

function listed(names: string): readonly string[] {
  return names.split(' ').filter((name) => name !== '');
}

/** The shortest beginning that is still about this option. */
const SHORTEST = 2;
/** Harmless options of git that are the beginning of a dangerous one. */
const EXACT = new Set(['text', 'recurse']);

/** With `=` in the option, only that value is dangerous. */
function spellings(option: string): readonly string[] {
  const [name = '', value] = option.split('=');
  const beginnings = Array.from({ length: Math.max(1, name.length - SHORTEST + 1) }, (_, i) =>
    name.slice(0, SHORTEST + i),
  ).filter((one) => !EXACT.has(one));
  return value === undefined
    ? beginnings.flatMap((one) => [`--${one}`, `--${one}=x`, `--${one}=touch`, `--${one} x`])
    : beginnings.map((one) => `--${one}=${value}`);
}
