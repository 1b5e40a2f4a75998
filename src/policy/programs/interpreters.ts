/** Interpreters: a call with a script file is judged by the allowlist; code from anywhere else needs approval. */
import { type Finding, inlineCode } from './finding.ts';

interface Interpreter {
  readonly names: string;
  /** Short options without a value that do not change what runs, as letters. */
  readonly letters?: string;
  /** The same as whole arguments: long options, and short ones that do not cluster. */
  readonly flags?: string;
  /** Options with a value after `=`. As a separate argument, the value could be read as an option. */
  readonly values?: string;
  /** Options that only print information about the interpreter. */
  readonly information?: string;
  /** `--` ends the options; the script follows it. */
  readonly ends?: true;
}

const SCRIPT_RUNNERS: readonly Interpreter[] = [
  {
    names: 'python pypy jython micropython graalpy pythonw python-dbg python2 python3',
    letters: 'uBsSEIOqPbdv',
    information: '-V -VV --version -h --help --help-all --help-env',
    ends: true,
  },
  {
    names: 'node nodejs iojs',
    flags:
      '--no-warnings --trace-warnings --no-deprecation --trace-deprecation --throw-deprecation --enable-source-maps --expose-gc ' +
      '--trace-uncaught --preserve-symlinks --preserve-symlinks-main --pending-deprecation --abort-on-uncaught-exception --check -c ' +
      '--no-experimental-fetch --experimental-vm-modules --experimental-strip-types --no-addons --trace-exit --use-strict',
    values:
      '--max-old-space-size --max-semi-space-size --stack-trace-limit --stack-size --unhandled-rejections --max-http-header-size --dns-result-order',
    information: '-v --version -h --help --v8-options --completion-bash',
    ends: true,
  },
  { names: 'perl', letters: 'wWXTtuc', information: '-v --version -V -h --help', ends: true },
  {
    names: 'ruby jruby truffleruby',
    letters: 'wc',
    flags: '--disable-gems --yjit --jit',
    information: '-v --version -h --help --copyright',
    ends: true,
  },
  { names: 'php php-cli', letters: 'nqCl', information: '-v --version -h --help -i --info -m --modules --ini' },
  { names: 'lua luajit texlua', letters: 'W', information: '-v', ends: true },
  // Any argument with a dash leaves it without a script.
  { names: 'tclsh wish expectk' },
  { names: 'rscript', information: '--version --help' },
  { names: 'julia', flags: '--startup-file=no --history-file=no', information: '-v --version -h --help' },
  {
    names: 'elixir escript groovy scala kotlin raku perl6 rakudo guile racket gosh chibi-scheme csi sbcl clisp ecl',
    information: '--version --help',
  },
  {
    names: 'runghc runhaskell ocaml swift dart crystal nim janet fennel hy bb clojure clj',
    information: '--version --help',
  },
  { names: 'tsx ts-node esno jiti swc-node babel-node vite-node coffee', information: '-v --version -h --help' },
];

/** Programs that run code or commands from their arguments or from keys: only `--version` and the like are harmless. */
const ALWAYS_ASK = new Set(
  (
    'pydoc prove instmodsh jdb jexec jcmd jpackage jhsdb lli qjs d8 js jsc rhino mujs duk hermes wasmtime wasmer octave-cli gdbtui gcore cscope ' +
    'dbus-send dbus-monitor gdbus gpg-connect-agent gpgtar pgbench ' +
    'bashbug perlbug reportbug easy_install byebug gimp slsh tdbtool scanmem ginsh smbclient ncftp psftp rtorrent minicom facter cobc tasksh ' +
    'nginx apache2 httpd cowsay cowthink restic msfconsole sqlmap debugfs ' +
    'sed gsed ssed vim vi view ex nvim gvim vimdiff rvim rview evim nvi elvis ed red emacs emacsclient nano pico joe micro kak helix hx mcedit mc ne jed ' +
    'gdb lldb pdb ipython ipython3 bpython ptpython jupyter irb pry erb rails rake iex erl erlc ghc ghci r octave maxima gnuplot sage scilab gp ' +
    'sqlite3 sqlite psql mysql mariadb mycli pgcli mongo mongosh redis-cli sqlplus isql duckdb cqlsh usql dc m4 gm4 ' +
    'tex etex pdftex xetex luatex latex pdflatex xelatex lualatex latexmk dvips gs ghostscript ps2pdf asy metapost mpost ' +
    'jshell java javaw scala-cli jrunscript jjs groovysh kotlinc dotnet csi csharp fsi ftp lftp telnet mail mailx s-nail mutt ' +
    'neomutt alpine sendmail exim exim4 rename prename file-rename perl-rename perldoc ranger nnn lf vifm tig lazygit gitk ' +
    'lynx w3m links elinks rofi dmenu fzf systemtap tcc picolisp forth gforth bcc scheme mit-scheme gnuclient ' +
    'aspell ispell crash kdb trace-cmd qemu-system-x86_64 virsh wireshark tshark'
  ).split(' '),
);
const AWKS = new Set('awk gawk mawk nawk bwk goawk original-awk frawk'.split(' '));

const byName = new Map<string, Interpreter>(
  SCRIPT_RUNNERS.flatMap((one) => one.names.split(' ').map((name) => [name, one] as const)),
);
const words = (text: string | undefined): readonly string[] => text?.split(' ') ?? [];

/** Whether the first operand of the program is a script that it runs. */
export function isScriptRunner(name: string): boolean {
  return byName.has(name);
}

export function isInterpreter(name: string): boolean {
  return byName.has(name) || ALWAYS_ASK.has(name) || AWKS.has(name);
}

/** Whether the arguments make an interpreter run anything but a script file. */
export function interpreterFinding(names: ReadonlySet<string>, args: readonly string[]): Finding | undefined {
  for (const name of names) {
    if (AWKS.has(name)) return awkFinding(name, args);
    if (ALWAYS_ASK.has(name) && !isHarmlessInformation(name, args))
      return inlineCode(args.length === 0 ? 0 : 1, `${name} runs commands from its arguments or its input`);
    const interpreter = byName.get(name);
    if (interpreter !== undefined) return scriptFinding(name, interpreter, args);
  }
  return undefined;
}

/** The same option prints the version of one program and makes another one verbose. */
function isHarmlessInformation(name: string, args: readonly string[]): boolean {
  if (args.length !== 1) return false;
  if (args[0] === '--version' || args[0] === '--help') return name !== 'erl' && name !== 'ftp';
  return (
    (args[0] === '-V' && /^(?:psql|mysql|mariadb)$/.test(name)) ||
    (args[0] === '-version' && /^(?:java|javaw|sqlite3)$/.test(name))
  );
}

function scriptFinding(name: string, interpreter: Interpreter, args: readonly string[]): Finding | undefined {
  const { letters = '' } = interpreter;
  const flags = words(interpreter.flags);
  const values = words(interpreter.values);
  if (args.length === 1 && words(interpreter.information).includes(args[0]!)) return undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === '--' && interpreter.ends === true) return scriptOperand(name, args[i + 1], i + 2);
    if (!arg.startsWith('-') || arg === '-') {
      if (name.startsWith('node') && arg === 'inspect')
        return inlineCode(i + 1, 'node inspect opens a debugger that runs commands from its input');
      return scriptOperand(name, arg, i + 1);
    }
    if (flags.includes(arg)) continue;
    const equals = arg.indexOf('=');
    if (equals > 0 && values.includes(arg.slice(0, equals))) continue;
    if (/^-[A-Za-z]+$/.test(arg) && Array.from(arg.slice(1)).every((letter) => letters.includes(letter))) continue;
    return inlineCode(i + 1, `the option ${arg} of ${name} can run or load code that is not in the script file`);
  }
  return inlineCode(0, `${name} without a script file reads its program from standard input`);
}

function scriptOperand(name: string, operand: string | undefined, word: number): Finding | undefined {
  if (operand === undefined || operand === '-' || operand === '' || isInputFile(operand))
    return inlineCode(operand === undefined ? 0 : word, `${name} reads its program from standard input`);
  if (/^[a-z][a-z0-9+.-]+:/i.test(operand)) return inlineCode(word, `${name} would load its program from ${operand}`);
  return undefined;
}

/** Paths that mean standard input or another open file of the process. */
export function isInputFile(path: string): boolean {
  const plain = path.replace(/\/+(?:\.\/+)*/g, '/');
  return /(?:^|\/)(?:dev\/(?:stdin|fd(?:\/|$)|tty|pts\/|tcp|udp)|proc\/[^/]+\/(?:task\/[^/]+\/)?fd(?:\/|$))/.test(
    plain,
  );
}

/** A program file with separators and variables is a script; a program as an argument is code. */
function awkFinding(name: string, args: readonly string[]): Finding | undefined {
  if (args.length === 1 && /^(?:--version|--help|-V|-W version)$/.test(args[0]!)) return undefined;
  let file = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === '--' || !arg.startsWith('-') || arg === '-') break;
    const option = /^-([fFv])(.*)$/s.exec(arg);
    if (option === null) return inlineCode(i + 1, `the option ${arg} of ${name} can run or load code`);
    const value = option[2] === '' ? args[++i] : option[2];
    if (option[1] !== 'f') continue;
    if (value === undefined || value === '-' || isInputFile(value))
      return inlineCode(i + 1, `${name} reads its program from standard input`);
    file = true;
  }
  return file ? undefined : inlineCode(args.length === 0 ? 0 : 1, `${name} runs the program in its arguments`);
}
