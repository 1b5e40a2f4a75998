import { table } from '../machine.ts';

/** Further programs that start others. `programs: command`. */
export const TOOLS = table(String.raw`
    gh: gh alias set x '!id'
    gh: gh extension exec x
    kill: kill -9 -1
    kill: kill -- -1
    kill: kill -9 0
    sudo-rs: sudo-rs id
    /usr/bin/node: /proc/self/exe -e 1
    /proc/self/exe: /proc/self/exe -e 1
    not-14: not-14 id
    bugpoint: bugpoint x
    llvm-reduce: llvm-reduce --test=x y
    vimtutor: vimtutor
    memusage: memusage id
    luit: luit id
    systemd-cat: systemd-cat id
    systemd-socket-activate: systemd-socket-activate -l 1 id
    systemd-notify: systemd-notify --exec X=1 ; id
    systemd-run: systemd-run --user id
    systemd-mount: systemd-mount x y
    scriptlive: scriptlive x
    pg_virtualenv: pg_virtualenv id
    gprofng: gprofng collect app id
    gp-collect-app: gp-collect-app id
    find: find . -exec id ;
    find: find . -exec id \;
    find: find . -name x -ok id \;
    find: find . -okdir id {} \;
    find: find . -type f -name '*.o' -delete
    find: find . -fprint0 x
    find: find . -fls x
    find: find . '-del''ete'
    find: find . \-exec id \;
    tar: tar xf a -I id
    tar: tar -xIf id a
    tar: tar xIf id a
    tar: tar --use=id -xf a
    tar: tar -cf a --checkpoint=1 --checkpoint-action=exec=id b
    tar: tar -cf a --checkpoint-action exec=id b
    tar: tar -cf a --checkpoint-a=exec=id b
    tar: tar -xf a --to-c=id
    tar: tar cFf id a b
    tar: tar cMf a --info-s=id b
    tar: tar --new-vol=id -cMf a b
    tar: tar --rsh=id -xf h:a
    tar: tar --rmt=id -xf h:a
    tar: tar -f user@host:a -t
    tar: tar tf host:a
    tar: tar --file host:a -t
    tar: tar --remove-files -cf a b
    tar: tar -cf a b --remove
    tar: tar -g snap -cf a b
    tar: tar --listed=snap -cf a b
    tar: tar -xPf a
    tar: tar --absolute -xf a
    tar: tar cTf list x
    tar: tar --files=list -cf x
    tar: tar xf a --index-f=x
    tar: tar -Ipigid -xf a
    tar: tar -zIid -xf a
    sort: sort -o x y
    sort: sort x -o y
    sort: sort -rox y
    sort: sort --compress-program ./x y
    sort: sort --comp=./x y
    sort: sort -S1 --compress-program=id y
    sort: sort -T. y
    sort: sort --temp=x y
    sort: sort --o=x y
    sort: sort -nk2o x y -o z
    shuf: shuf -ox y
    rg: rg --pre=./x y
    rg: rg --pre ./x y
    rg: rg --hostname-bin=./x y
    rg: rg -z y
    rg: rg -inz y
    rg: rg --search-zip y
    fd: fd -x id
    fd: fd -Hx id
    fd: fd --exec=id
    fdfind: fdfind . -X id
    split: split --filter='id' x
    split: split -l1 --fil=id x
    xargs: xargs
    xargs: xargs -0 id
    xargs,echo: echo id | xargs -I{} {}
    zip: zip a b -T -TT 'id #'
    zip: zip a b -TTT id
    zip: zip -q a b -T --unzip-command='id'
    zip: zip a b -T -TT=id
    gcc: gcc -wrapper id,x x.c
    gcc: gcc --prefix=/tmp/x x.c
    gcc: gcc --prefix /tmp/x x.c
    gcc: gcc -B /tmp/x x.c
    gcc: gcc -fplugin=x x.c
    gcc: gcc -specs=x x.c
    gcc: gcc --specs=x x.c
    gcc: gcc -Wl,-plugin,x x.c
    gcc: gcc -Xlinker -plugin x.c
    gcc: gcc --for-linker=-plugin x.c
    gcc: gcc -fuse-ld=x x.c
    gcc: gcc -fplugin-arg-x-y x.c
    gcc-12: gcc-12 -wrapper id x.c
    x86_64-linux-gnu-gcc-12: x86_64-linux-gnu-gcc-12 -wrapper id x.c
    c99: c99 -wrapper id x.c
    c89-gcc: c89-gcc -wrapper id x.c
    g++: g++ -wrapper id x.c
    g++-12: g++-12 -B. x.c
    cpp: cpp -wrapper id x.c
    clang: clang -fpass-plugin=x x.c
    clang: clang --config=x x.c
    clang: clang --ld-path=x x.c
    clang: clang -Xclang -load x.c
    clang: clang -cc1 -load x
    clang: clang -mllvm -load=x x.c
    gcc-ar: gcc-ar -B. x
    gcc-nm: gcc-nm --plugin x y
    ld: ld -plugin x y
    ld: ld --plugi x y
    ld: ld @x
    ld.bfd: ld.bfd -plugin x
    ld.gold: ld.gold --plugin x
    nm: nm --plug=x y
    nm: nm @x
    ar: ar --plugin x t y
    ranlib: ranlib --plugin x y
    jq: jq -n '$ENV'
    jq: jq -n env
    jq: jq -n 'env.PATH'
    jq: jq -n '$ENV.PATH'
    jq: jq -L . 'import "x" as x; .'
    jq: jq -n 'env|keys'
    jq: jq 'include "x"; .'
    man: man --pag=id ls
    man: man -C x ls
    man: man -Hx ls
    man: man -l --pager id x
    man: man -kP id x
    less: less '+!id' x
    less: less ++!id x
    less: less --log-f=x y
    less: less -kx y
    less: less --lesskey-co=x y
    zless: zless '+!id' x
    more: more '+!id' x
    pager: pager x
    ffmpeg: ffmpeg -i x -af ladspa=file=/tmp/x.so y
    ffmpeg: ffmpeg -i x -vf frei0r=./x y
    bc: bc /dev/stdin ; id
    script: script -qc id
    timeout: timeout --kill-a=5 5 id
    timeout,ls: timeout --kill-a=5 5 id
    timeout,ls: timeout -k5 5 id
    timeout,ls: timeout --foreground --preserve-status -s 9 5 id
    timeout,ls: timeout --sig=9 5 id
    nice,ls: nice -n5 id
    nice,ls: nice --adj=5 id
    nice,ls: nice -n 5 nice id
    stdbuf,ls: stdbuf -i0 -o0 -e0 id
    stdbuf,ls: stdbuf --out=0 id
    nohup,ls: nohup id
    nohup,ls: nohup -- id
    env,ls: env -uX id
    env,ls: env --unset=X id
    env,ls: env -vi id
    env,ls: env -iS id
    env,ls: env --s=id
    env,ls: env --spl=id
    env,ls: env -S'ls;id'
    env,ls: env LD_PRELOAD=./x.so ls
    env,ls: env -i PATH=. ls
    env,ls: env -C /tmp ls
    env,ls: env -P /tmp ls
    env,ls: env --default-signal=PIPE id
    env,ls: env --block-signal ls
    env,ls: env -- A=b ls
    env,ls: env '-S ls'
    env,ls: env ./ls
    env,ls: env sh -c id
    env,ls: env bash
    env,python3: env python3 -c 1
    env,nice,find: env nice find . -exec id \;
    timeout,git: timeout 5 git -c a.b=c log
    busybox: busybox ls
    busybox: busybox --list
    busybox: busybox wget x
    toybox: toybox ls
    /lib64/ld-linux-x86-64.so.2: /lib64/ld-linux-x86-64.so.2 --list /usr/bin/id
    ld.so: ld.so /usr/bin/id
    ld.so: ld.so --preload ./x.so /usr/bin/ls
    strace: strace -o '|id' ls
    perf: perf record id
    at,echo: echo id | at now
    batch: batch
    crontab: crontab -
    crontab: crontab -e
    crontab: crontab -l
    bzless: bzless '+!id' x
    xzless: xzless '+!id' x
    bzmore: bzmore '+!id' x
    zipgrep: zipgrep x y ; id
    savelog: savelog -x id y
    select-editor: select-editor
    lesspipe: lesspipe x
    nroff: nroff -U x
    troff: troff -U x
    groff: groff -U x
    pic: pic -U x
    man: man --warnings --recode=x -P id y
    ctags: ctags --options=x y
    etags: etags --options=x y
    ctags-universal: ctags-universal --options=x y
    pygmentize: pygmentize -x -l ./x.py y
    msgfilter: msgfilter id
    msgexec: msgexec id
    flock: flock x id
    tmux: tmux run-shell id
    tmux: tmux -f x
    egrep,ls: ls | egrep x | id
    debconf: debconf id
    debconf-apt-progress: debconf-apt-progress -- id
    fakeroot-sysv: fakeroot-sysv id
    faked-sysv: faked-sysv
    xdg-user-dir: xdg-user-dir x
    unshare: unshare --help id
    pkg-config: pkg-config --with-path=. x --libs ; id
    gio: gio launch x
    gapplication: gapplication launch x
    valgrind.bin: valgrind.bin id
    sotruss: sotruss id
    sdiff: sdiff --diff-prog=id a b
    diff3: diff3 --diff-prog=id a b
    file: file -C
    file: file -zb x
    yq: yq -i x y
    uniq: uniq x y
    xxd: xxd -r x y
    xxd: xxd -p x y
    tree: tree -H . -R
    agetty: agetty -l id x
    csvtool: csvtool call id x
    tail: tail -f log
    sha256sum: sha256sum -c sums
    dmsetup: dmsetup ls --exec id
    dstat: dstat --x
    grc: grc --pty id
    ncdu: ncdu
    pg: pg x
    ls,echo: /usr/bin/ls/
    ls,echo: /usr/bin/ls/.
    ls: ls =id
    busybox: /usr/bin/busybox
    env,nohup,xargs: env nohup xargs id
    timeout,vim: timeout 5 vim x
    timeout,ls: timeout 5 ./ls
    timeout,ls: timeout -s KILL -k 1 1 /usr/bin/id
    env,ls: env -u A -u B id
    env,ls: env -i -u A -- id
    nice,ls: nice -19 id
    nice,ls: nice --10 id
`);
