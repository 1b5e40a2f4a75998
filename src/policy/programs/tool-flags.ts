/** Options of ordinary programs that run another one, or write a file that is not named as the output. */
export interface ToolFlags {
  /** Long options without dashes. GNU programs accept abbreviations, so every prefix counts. */
  readonly long?: string;
  /** Harmless long options that are a prefix of one of those. */
  readonly harmless?: string;
  /** Short options as letters. */
  readonly short?: string;
  /** Short options with a value: the rest of the argument is not a cluster. */
  readonly valued?: string;
  /** Whole arguments, or their part before `=`. */
  readonly words?: string;
  /** Anything else in an argument. */
  readonly like?: RegExp;
  /** The number of operands that are not written to; the next one is. */
  readonly operands?: number;
  /** The first argument may be a cluster without a dash: `tar xf`. */
  readonly bundled?: true;
  /** A letter and its long option that name an output file, and are harmless with `-` (standard output). */
  readonly toOutput?: string;
  /** Whole arguments that take the next one as their value. */
  readonly valueWords?: string;
  /** Operands with an effect. */
  readonly operandLike?: RegExp;
  /** Without arguments the program reads commands from its input. */
  readonly readsCommands?: true;
}

const TOOLS: Readonly<Record<string, ToolFlags>> = {
  tar: {
    long: 'to-command checkpoint-action use-compress-program rmt-command rsh-command info-script new-volume-script index-file files-from absolute-names remove-files listed-incremental volno-file',
    harmless: 'checkpoint file list',
    short: 'IFTPg',
    valued: 'bCfHKLNVX',
    // A colon before the first slash names another machine.
    like: /^(?:-[A-Za-z]*f|--f[a-z]*=)?[^/]*:/,
    bundled: true,
  },
  cpio: { long: 'rsh-command to-stdout-command', short: '', valued: 'CEFHIMOR', like: /^(?:-[FIO]|--f[a-z]*=)?[^/]*:/ },
  pax: { short: '', valued: 'bfost', like: /^--(?:use-compress|rsh)/ },
  sort: { long: 'output compress-program temporary-directory files0-from random-source', short: 'oT', valued: 'kSt' },
  shuf: { long: 'output random-source', short: 'o', valued: 'in' },
  uniq: { valued: 'fsw', operands: 1 },
  xxd: { operands: 1, valueWords: '-c -cols -g -groupsize -l -len -n -name -o -offset -s -seek -skip -R' },
  split: { long: 'filter' },
  iconv: { long: 'output', short: 'o', valued: 'ft' },
  find: { words: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls' },
  fd: { long: 'exec exec-batch', short: 'xX', valued: 'dEtecSjo' },
  rg: { words: '--pre --pre-glob --hostname-bin --search-zip', short: 'z', valued: 'ABCEMdefgjmrtT' },
  ugrep: { long: 'filter pager view decompress save-config', short: 'zQ', valued: 'ABCDdefgJKMmNOtT' },
  ag: { long: 'pager search-zip', short: 'z', valued: 'ABCGgmp' },
  ack: { long: 'pager ackrc output filter', words: '--ackrc' },
  tree: { short: 'oR' },
  man: { long: 'pager html gxditview preprocessor config-file extension', short: 'PHCXptTRD', valued: 'eELMmrsS' },
  info: { long: 'output restore dribble', short: 'o', valued: 'dfnk' },
  less: {
    long: 'log-file LOG-FILE lesskey-file lesskey-src lesskey-content tag tag-file',
    short: 'oOktT',
    like: /^\+/,
  },
  more: { like: /^\+|^-[^0-9dflcpsu-]/ },
  most: { like: /^[+-]/ },
  bat: { long: 'pager', harmless: 'p' },
  batcat: { long: 'pager' },
  delta: { long: 'pager' },
  date: { long: 'set', short: 's', valued: 'dfIr', operandLike: /^\d{8,}/ },
  hostname: { long: 'file boot', short: 'Fb', operandLike: /./ },
  mount: { short: 'a', valued: 'tTOo', operandLike: /./ },
  file: { long: 'compile uncompress uncompress-noreport', short: 'CzZ', valued: 'eFfmP' },
  install: { long: 'strip-program strip', short: 's', valued: 'gmoSt' },
  patch: { long: 'ed output reject-file get', short: 'eorg', valued: 'BDdFiprVxYz' },
  sdiff: { long: 'diff-program output', short: 'o', valued: 'Iw' },
  diff3: { long: 'diff-program', words: '--diff-program' },
  zip: { long: 'unzip-command', words: '-TT', like: /^-\w*TT|^--unzip/ },
  rsync: {
    long: 'rsh rsync-path remote-option log-file write-batch only-write-batch config daemon early-input',
    short: 'eM',
    valued: 'BfT@',
  },
  // It runs a shell on a host, and this machine is also a host.
  ssh: { short: 'oFIESJwLRDWP', valued: 'bceilmpQBO', operandLike: /./ },
  scp: { short: 'SoFDJ', valued: 'cilPX' },
  sftp: { short: 'SoFbDsJ', valued: 'BcilPRX', operandLike: /./ },
  'ssh-keygen': { short: 'Dw', valued: 'abCEfFIKmMnNOPrRsStTVYzZ', words: '-D -w' },
  'ssh-add': { short: 'sS', valued: 'EhHt' },
  curl: {
    toOutput: 'o output',
    long: 'remote-name remote-name-all output-dir config dump-header cookie-jar trace trace-ascii stderr libcurl etag-save hsts alt-svc engine upload-file unix-socket abstract-unix-socket proto-default netrc-file',
    harmless: 'cookie proto netrc',
    short: 'OKDcT',
    valued: 'AbCdeEFHmoPQrtuUwXxyYz',
    like: /%output\{|(?:^|=)file:|^pkcs11:|^@|^-\w+@|=[@<]|^[\w-]+@[./]|^--(?:expand|variable|url)/i,
    valueWords:
      '--output --proto --request --header --data --data-raw --data-binary --data-urlencode --json --user-agent --user --max-time --connect-timeout --retry --retry-delay --referer --cookie --form --write-out --resolve --max-redirs --range --proxy --limit-rate --tls-max',
    // A web address without patterns that curl would expand.
    operandLike: /^(?!(?:https?:\/\/)?[\w.-]+(?::\d+)?(?:[/?#][^{}[\]\\]*)?$)/i,
  },
  wget: {
    long: 'use-askpass execute config output-file append-output rejected-log save-cookies warc-file warc-tempdir hsts-file input-file directory-prefix post-file body-file',
    short: 'eoaPi',
    valued: 'ABDIQRTUXltw',
    toOutput: 'O output-document',
  },
  nc: { long: 'exec sh-exec lua-exec', short: 'ec', valued: 'GgIimMOopPqsTVwWXx' },
  ncat: { long: 'exec sh-exec lua-exec output', short: 'eco', valued: 'dgGimpswx' },
  netcat: { long: 'exec sh-exec lua-exec', short: 'ec', valued: 'GgIimMOopPqsTVwWXx' },
  tcpdump: { long: 'postrotate-command', short: 'zwZ', valued: 'BcCEFGijMrsTVWy' },
  nmap: {
    long: 'interactive script script-args script-args-file datadir servicedb versiondb iL resume stylesheet',
    like: /^-o/,
  },
  // ip accepts abbreviated words.
  ip: { words: '-b -force', like: /^ex?e?c?$|^-{1,2}b(?:at?c?h?)?$/ },
  ss: { long: 'kill diag filter', short: 'KDF', valued: 'fAN' },
  openssl: {
    like: /^--?(?:\w*engine|provider|provider-path|config|conf|out|keyout|outdir|writerand|pass|passin|passout|CApath)(?:=|$)|^(?:engine|s_server)$/,
    readsCommands: true,
  },
  gpg: {
    long: 'exec-path photo-viewer agent-program dirmngr-program keyboxd-program pinentry-program options homedir load-extension output logger-file log-file status-file attribute-file command-file',
    short: 'o',
    valued: 'ruN',
  },
  gcc: {
    words: '-wrapper -specs --specs -B -Xlinker -fplugin -load',
    like: /^(?:-B|-{1,2}plugin|-f?-?plugin|-fplugin|-Wp,|-Wa,|-f?use-ld|-specs|--specs|@|-Xclang|-Wl,|-Xpreprocessor|-no-canonical|--prefix(?:=|$)|--for-|-fpass-plugin|--config|--ld-path|-cc[1c]|-mllvm)/,
  },
  nm: { long: 'plugin', like: /^@/ },
  ar: { long: 'plugin', like: /^@|^-B/ },
  ld: { words: '-plugin --plugin -pl', like: /^@|^-{1,2}plu|^-T/ },
  objdump: { long: 'plugin', like: /^@/ },
  strip: { long: 'plugin output-file', short: 'o', valued: 'FIOKNR', like: /^@/ },
  groff: { short: 'UP', valued: 'dfFIKLmMnorTwW' },
  pic: { short: 'U' },
  dpkg: {
    long: 'install unpack configure remove purge triggers-only pre-invoke post-invoke status-logger root admindir instdir clear-avail set-selections add-architecture path-exclude record-avail merge-avail update-avail extract control vextract raw-extract build log command-fd',
    harmless: 'status',
    short: 'irPBAxXeRb',
    valued: 'D',
  },
  'dpkg-deb': { long: 'extract control vextract raw-extract build', short: 'xeXRb' },
  'dpkg-architecture': { long: 'command', short: 'c', valued: 'aAtTqie' },
  json_pp: { like: /^-{1,2}f|^eval$/ },
  jq: { long: 'library-path', short: 'L', like: /\$ENV\b|(?:^|[|(,;\s])env(?=$|[|.),;[])|^\s*(?:import|include)\b/ },
  javac: { like: /^-J|^@|^-{1,2}(?:processor|plugin|doclet|taglet|Xplugin)/ },
  opt: { like: /^-{1,2}load/ },
  ffmpeg: { like: /\b(?:ladspa|frei0r|lv2)\b/ },
  gh: { words: 'alias extension extensions ext codespace cs browse config' },
  // It signals every process that it may.
  kill: { words: '-1', operandLike: /^0$/ },
  setcap: { operandLike: /./ },
  dmsetup: { long: 'exec' },
  savelog: { short: 'x', valued: 'cdgmru' },
  rpm: {
    long: 'install upgrade erase freshen eval define pipe dbpath rcfile root load predefine import',
    short: 'iUFeED',
  },
  svn: { long: 'config-option config-dir editor-cmd diff-cmd diff3-cmd merge-cmd', valued: 'FmrcxN' },
  hg: { long: 'config cwd debugger profile', like: /(?:^|:|\.)(?:extdiff|alias|hooks|debugshell)/ },
  cvs: { short: 'edrz' },
  pidstat: { short: 'e', valued: 'pGUT' },
  exiftool: { like: /^-(?:if|config|p|execute|api|@|o|w|tagsfromfile)/i },
  pandoc: {
    long: 'filter lua-filter output pdf-engine extract-media defaults template log data-dir syntax-definition',
    short: 'FLod',
    valued: 'frtwMVHBAc',
  },
  enscript: { long: 'filter output', like: /^-[Ipo]/ },
  aria2c: { like: /^--(?:on-|conf|dir|out|log|save|input|load)|^-[dolij]/ },
  pygmentize: { short: 'xo', valued: 'lfFOPS' },
  scrot: { short: 'e', like: /^--exec/ },
  nasm: { like: /^(?:-@|@)/ },
  fuser: { long: 'kill', short: 'k' },
  convert: { like: /^\||^(?:msl|ephemeral|mvg|https?|url|text|caption|label):|^@|^-write$|:@/i },
  uudecode: { short: 'o' },
  ptx: { short: 'G', valued: 'AFgMSWbiow' },
  journalctl: {
    long: 'vacuum-size vacuum-time vacuum-files rotate flush relinquish-var smart-relinquish-var setup-keys cursor-file',
  },
  sysctl: { long: 'write load system', short: 'wp', like: /=/ },
  '7z': { like: /^-si|^-so|^@/ },
  logger: { long: 'file', short: 'f', valued: 'intpPSu' },
  updatedb: { long: 'output', short: 'o' },
  ctags: { long: 'options', like: /^--(?:options|_?x?cmd|.*-(?:extern|parser))/ },
  bison: { long: 'skeleton output defines', short: 'So' },
  flex: { long: 'skel outfile', short: 'So' },
  xz: { long: 'files files0' },
  pv: { long: 'remote output', short: 'Ro', valued: 'BdHLNPsi' },
  xmllint: { long: 'output shell catalogs path dtdvalid', harmless: 'p', words: '--shell --output -o' },
  xsltproc: { words: '-o --output --path --profile --maxdepth --writesubtree --stringparam', like: /^-?-o/ },
  yq: { long: 'inplace in-place split-exp split-exp-file front-matter', short: 'is' },
};

const SAME_AS: Readonly<Record<string, string>> = {
  gtar: 'tar',
  bsdtar: 'tar',
  bsdcpio: 'cpio',
  gsort: 'sort',
  gfind: 'find',
  bfs: 'find',
  gsplit: 'split',
  gdate: 'date',
  ripgrep: 'rg',
  fdfind: 'fd',
  cc: 'gcc',
  'g++': 'gcc',
  'c++': 'gcc',
  cpp: 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  tcc: 'gcc',
  gfortran: 'gcc',
  gnat: 'gcc',
  gccgo: 'gcc',
  c99: 'gcc',
  c89: 'gcc',
  ranlib: 'nm',
  'gcc-ar': 'ar',
  'gcc-nm': 'ar',
  objcopy: 'strip',
  'ld.bfd': 'ld',
  'ld.gold': 'ld',
  lld: 'ld',
  gpg2: 'gpg',
  gpgv: 'gpg',
  troff: 'groff',
  eqn: 'groff',
  magick: 'convert',
  identify: 'convert',
  mogrify: 'convert',
  composite: 'convert',
  montage: 'convert',
  compare: 'convert',
  display: 'convert',
  import: 'convert',
  '7za': '7z',
  '7zr': '7z',
  grotty: 'groff',
  lessecho: 'less',
  whatis: 'man',
  apropos: 'man',
  slogin: 'ssh',
  llc: 'opt',
  rpmquery: 'rpm',
  rpmdb: 'rpm',
  rpmverify: 'rpm',
  'c89-gcc': 'gcc',
  'c99-gcc': 'gcc',
  'gcc-ranlib': 'nm',
  size: 'nm',
  strings: 'nm',
  gpgsm: 'gpg',
  nroff: 'groff',
  etags: 'ctags',
  'ctags-universal': 'ctags',
  domainname: 'hostname',
  dnsdomainname: 'hostname',
  nisdomainname: 'hostname',
  ypdomainname: 'hostname',
  ffplay: 'ffmpeg',
  ffprobe: 'ffmpeg',
  zless: 'less',
  bzless: 'less',
  xzless: 'less',
  lzless: 'less',
  zstdless: 'less',
  zmore: 'more',
  bzmore: 'more',
  xzmore: 'more',
  lzmore: 'more',
  ...Object.fromEntries(
    'jar javap javadoc jarsigner keytool jdeps jlink jmod jimage serialver jdeprscan jconsole jstat jinfo jmap jstack jps rmiregistry jstatd jfr'
      .split(' ')
      .map((name) => [name, 'javac']),
  ),
};

export function toolFlags(name: string): ToolFlags | undefined {
  const known = Object.hasOwn(SAME_AS, name) ? SAME_AS[name]! : name;
  return Object.hasOwn(TOOLS, known) ? TOOLS[known] : undefined;
}
