/** Programs that run other programs: shells, launchers, debuggers, multiplexers, the loader. */
import { carrier, type Finding } from './finding.ts';
import { isInterpreter } from './interpreters.ts';
import { namesOf } from './names.ts';
import { forAgent } from '../hint.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const SHELLS = set(`
  sh ash bash dash fish ksh mksh lksh oksh pdksh rksh rbash rzsh zsh csh tcsh yash posh osh oil elvish nu xonsh ion es rc rsh jsh hush sash
    cmd powershell pwsh git-shell scponly lshell su-exec 
`);

/** Programs that run another program with other rights, at another time, or repeatedly. */
const CARRIERS = set(`
  agetty apache2ctl apachectl cdist check_by_ssh check_ssl_cert csvtool easyrsa eb genie grc iftop jtag ksshell mosquitto ncdu pg hping3 runscript
  varnishncsa volatility knife ansible-test aoss bconsole dstat neofetch opkg yelp zathura
  memusage luit not bugpoint llvm-reduce systemd-cat systemd-socket-activate systemd-mount systemd-notify scriptlive pg_virtualenv pg_ctlcluster
  gprofng gp-collect-app vgdb socat ssh-copy-id ssh-argv0 vimtutor select-editor lesspipe lessfile debconf-apt-progress fakeroot-sysv fakeroot-tcp
  faked-sysv faked-tcp gapplication deb-systemd-invoke deb-systemd-helper kernel-install
  multitime pexec openvt setlock rlogin ksu service msgfilter msgexec xdg-user-dir xdotool dosbox gtester tmate certbot openvpn update-alternatives
  sudo sudoedit doas su runuser pkexec gosu setpriv capsh sg newgrp login run0 machinectl systemd-run systemd-nspawn systemd-inhibit
  chrt ionice taskset setsid flock time script prlimit choom numactl uclampset coresched cgexec cgclassify schedtool
  unshare nsenter chroot fakechroot fakeroot proot bwrap firejail runc crun lxc-execute lxc-attach lxc flatpak snap chpst softlimit
  setarch linux32 linux64 i386 x86_64 personality uname26 arch-chroot runcon newrole sandbox seunshare aa-exec sandbox-exec caffeinate
  xargs parallel sem env_parallel watch entr run-parts start-stop-daemon daemon daemonize setuidgid envdir envuidgid
  strace ltrace perf valgrind gdbserver rr dtrace bpftrace stap uftrace heaptrack catchsegv eatmydata faketime ldd latrace sotruss pldd
  screen tmux byobu dtach abduco dvtm expect unbuffer rlwrap autoexpect empty sshpass ssh-agent gpg-agent dbus-run-session dbus-launch
  dbus-daemon xvfb-run xauth xinit startx xterm x-terminal-emulator gnome-terminal konsole open xdg-open gio sensible-browser
  sensible-editor sensible-pager x-www-browser www-browser editor pager compose run-mailcap at atd batch crontab cron anacron
  incrontab logrotate fcrontab tini dumb-init catatonit s6-setuidgid execlineb supervise runsv hyperfine chronic ifne pee mispipe lckdo
  logsave direnv asdf mise rtx nvm pyenv rbenv nodenv goenv jenv conda mamba micromamba nix nix-shell nix-env guix toolbox distrobox
  vagrant ansible ansible-playbook ansible-console salt salt-call puppet chef-client inetd xinetd tcpserver tcpsvd udpsvd 
  socksify torsocks torify proxychains proxychains4 tsocks dsocks xcrun osascript 
  git-remote-ext nsjail minijail0 wine mono qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 box64 rosetta binfmt ccache distcc
  sccache icecc command-not-found kexec insmod modprobe vipw vigr visudo dpkg-reconfigure debconf
   retry timelimit cpulimit nq task-spooler tsp procmail maildrop formail fetchmail zrun vidir vipe
`);

export const MULTIPLEXERS = set('busybox toybox coreutils sbase-box uutils');

/** One file that is many programs, chosen by argv[0]. An entry for one name does not cover another. */
export const NAMED_BY_CALL = set(
  'busybox toybox coreutils pg_wrapper systemctl kmod lvm pgrep xtables-nft-multi xtables-legacy-multi dropbearmulti mtools uutils gvpr sbase-box',
);

const LOADER = /^ld(?:-linux|-musl|64|-uClibc|\.so|-\d)[\w.+-]*$/;

/** Findings about shells, carriers, multiplexers and the loader. */
export function carrierFinding(names: ReadonlySet<string>, args: readonly string[]): Finding | undefined {
  const shell = firstOf(names, SHELLS);
  if (shell !== undefined)
    return {
      verdict: 'deny',
      code: 'shell',
      reason: `${shell} is a shell, and shells always ask`,
      ...forAgent('call the program itself instead of a shell'),
      word: 0,
      explicit: true,
    };
  const loader = [...names].find((name) => LOADER.test(name));
  if (loader !== undefined)
    return carrier(0, `${loader} is the loader, which runs any file`, 'call the program itself');
  if (isVersionOrHelp(args)) return undefined;
  const found = firstOf(names, CARRIERS);
  if (found !== undefined)
    return carrier(0, `${found} runs another program, which is not analysed`, 'call the inner program itself');
  return undefined;
}

/** Whether the only argument is `--version` or `--help`. */
export function isVersionOrHelp(args: readonly (string | undefined)[]): boolean {
  return args.length === 1 && (args[0] === '--version' || args[0] === '--help');
}

export function firstOf(names: ReadonlySet<string>, among: ReadonlySet<string>): string | undefined {
  for (const name of names) if (among.has(name)) return name;
  return undefined;
}

/** Whether the program without arguments reads commands from its input. */
export function isShellOrInterpreter(name: string): boolean {
  const names = namesOf(name, undefined);
  return firstOf(names, SHELLS) !== undefined || [...names].some(isInterpreter);
}

export function isCarrier(names: ReadonlySet<string>): boolean {
  return [SHELLS, CARRIERS, MULTIPLEXERS].some((set) => firstOf(names, set) !== undefined);
}
