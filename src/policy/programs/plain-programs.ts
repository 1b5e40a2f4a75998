/** A closed list of system programs that take no commands from input and start no program, except by `tool-flags.ts`. */
import type { Binary, Rules } from '../../wire/policy.ts';
import { baseName } from './names.ts';
import { isSystemProgram } from './trusted-programs.ts';

const PLAIN = new Set(
  `
  arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum cmp col colrm column comm cp csplit cut date df diff diff3 dir dircolors
  dirname du echo egrep env expand expr factor fallocate false fgrep file find findmnt fmt fold free getconf getent getfacl grep groups head hexdump hostid
  hostname iconv id ip ipcs join jq kill last ln locale look ls lsattr lsblk lscpu lsfd lsipc lslocks lsmem lsns lsof lspci lsusb md5sum mkdir
  mkfifo mktemp mv namei nice nl nohup nproc numfmt od paste pathchk pgrep pidof ping pinky printenv printf ps ptx pwd pwdx readlink realpath rev rg rm rmdir
  seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split ss stat stdbuf strings stty sum sync tac tail tee test timeout touch tput
  tr tree true truncate tsort tty uname unexpand uniq unlink uptime users vdir vmstat wc whereis which who whoami xxd yes zcat [
`
    .trim()
    .split(/\s+/),
);

export function isPlainProgram(binary: Binary, rules: Pick<Rules, 'safeBinTrustedDirs'>): boolean {
  const name = baseName(binary.real);
  return PLAIN.has(name) && isSystemProgram(name, binary, rules);
}

export function isPlainName(name: string): boolean {
  return PLAIN.has(name);
}
