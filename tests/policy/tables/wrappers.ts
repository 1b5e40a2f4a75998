import { table } from '../machine.ts';

/** Programs that start another one. `program: command`. */
export const WRAPPERS = table(`
    env: env -S 'id'
    env: env -S'id -u'
    env: env -vS id
    env: env --split-string=id
    env: env --split-string id
    env: env --split=id
    env: env A=1 id
    env: env id
    env: env -i id
    env: env -u HOME id
    env: env -C /tmp id
    env: env --chdir=/tmp id
    env: env -- id
    env: env - id
    env: env -0 id
    env: env --argv0=x id
    env: env env env env env env id
    nice: nice id
    nice: nice -n 5 id
    nice: nice -5 id
    nice: nice --adjustment=5 id
    nohup: nohup id
    nohup: nohup -- id
    timeout: timeout 1 id
    timeout: timeout -k 1 2 id
    timeout: timeout -s KILL 2 id
    timeout: timeout --signal=KILL --kill-after=1 2 id
    timeout: timeout --foreground 2 id
    timeout: timeout 1 sh -c id
    stdbuf: stdbuf -oL id
    stdbuf: stdbuf --output=0 id
    sudo: sudo id
    sudo: sudo -u root ls
    doas: doas id
    su: su -c id
    su: su - root
    runuser: runuser -u x -- id
    setpriv: setpriv --reuid 0 id
    pkexec: pkexec id
    ionice: ionice -c 3 id
    chrt: chrt -o 0 id
    taskset: taskset -c 0 id
    setsid: setsid id
    setsid: setsid -f id
    flock: flock /tmp/l id
    flock: flock /tmp/l -c id
    time: /usr/bin/time id
    time: "time" id
    script: script -c id /dev/null
    script: script -qec id /dev/null
    unshare: unshare -r id
    nsenter: nsenter -t 1 id
    chroot: chroot / id
    prlimit: prlimit --nofile=1 id
    setarch: setarch -R id
    linux64: linux64 id
    i386: i386 id
    x86_64: x86_64 id
    xargs: xargs id
    xargs: xargs -I{} sh -c {}
    parallel: parallel id ::: 1
    watch: watch id
    watch: watch -n 1 -x id
    strace: strace id
    strace: strace -f -o /tmp/x id
    ltrace: ltrace id
    perf: perf stat id
    valgrind: valgrind id
    gdbserver: gdbserver :1 id
    ldd: ldd /tmp/x/evil
    run-parts: run-parts /etc/x
    start-stop-daemon: start-stop-daemon --start --exec /usr/bin/id
    systemd-run: systemd-run id
    dbus-run-session: dbus-run-session id
    ssh-agent: ssh-agent id
    screen: screen -dm id
    tmux: tmux new -d id
    at: at now
    crontab: crontab /tmp/x
    busybox: busybox id
    busybox: busybox sh -c id
    busybox: busybox
    toybox: toybox id
    /lib64/ld-linux-x86-64.so.2: /lib64/ld-linux-x86-64.so.2 /usr/bin/id
    fakeroot: fakeroot id
    bwrap: bwrap --ro-bind / / id
    firejail: firejail id
    entr: entr id
    unbuffer: unbuffer id
    expect: expect -c 'spawn id'
    choom: choom -n 0 id
    numactl: numactl -N 0 id
    logsave: logsave /tmp/x id
    capsh: capsh -- -c id
    runcon: runcon a id
    sg: sg root id
    newgrp: newgrp x
    xvfb-run: xvfb-run id
    faketime: faketime now id
    chronic: chronic id
    hyperfine: hyperfine id
    tini: tini id
  `);
