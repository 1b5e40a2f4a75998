import { table } from '../machine.ts';

/** Further calls of allowlisted programs. `programs: command`. */
export const ORDINARY_MORE = table(String.raw`
    awk: awk -v x=1 '{print}' y
    awk: awk -F: '{print $1}' y
    awk: awk '{print $1}' x
    mawk: awk 1 x
    stdbuf,awk: stdbuf -oL awk '{print}' x
    sed: sed -n p x
    sed: sed --expression=p x
    sed: sed -e p x
    sed: sed -i s/a/b/ x
    rg: rg -n TODO src
    rg: rg 'foo|bar' -g '*.ts'
    rg: rg -i --type ts x
    rg: rg --files -g '!node_modules'
    rg: rg -l x
    rg: rg -C 3 'a b'
    rg: rg -uu x
    rg: rg --json x
    rg: rg -e x -e y
    rg: rg --version
    rg: rg -A2 -B2 x
    rg: rg --hidden --no-ignore x
    rg: rg -tpy x
    rg: rg --pretty x
    rg: rg -F 'a(b' src
    rg: rg -r z x
    sort: sort a
    sort: sort -u a b
    sort: sort -t, -k2,2 a
    sort: sort -k 2 -r a
    uniq: uniq -c a
    head: head -n 5 a
    tail: tail -n 100 a.log
    wc: wc -l a b
    cut: cut -d: -f1 /etc/passwd
    diff: diff -u a b
    diff: diff -r a b
    diff: diff --brief a b
    cmp: cmp a b
    stat: stat -c '%s' a
    du: du -sh .
    du: du -sh --max-depth=1 .
    df: df -h
    ps: ps aux
    ps: ps -ef
    ps: ps -o pid,comm -p 1
    uname: uname -a
    whoami: whoami
    id: id -u
    hostname: hostname
    hostname: hostname -f
    hostname: hostname -I
    basename: basename /a/b .c
    dirname: dirname /a/b
    realpath: realpath a
    readlink: readlink -f a
    pwd: pwd
    pwd: pwd -P
    true: true
    false: false
    test: test -f a
    test: test a = b
    [: [ -d x ]
    [: [ "a" = "b" ]
    expr: expr 1 + 2
    seq: seq 1 10
    seq: seq -s, 1 3
    sleep: sleep 1
    which: which ls
    file: file a
    file: file -b --mime-type a
    md5sum: md5sum a
    base64: base64 -d a
    base64,echo: echo aGk= | base64 -d
    xxd: xxd a
    xxd: xxd -l 16 a
    xxd: xxd -p a
    od: od -c a
    nl: nl a
    tac: tac a
    rev: rev a
    fold: fold -w 80 a
    column: column -t -s, a
    paste: paste -d, a b
    join: join a b
    comm: comm -12 a b
    tee: tee out.log
    echo,tee: echo x | tee out.log
    echo,tee: echo x | tee -a sub/out.log
    cp: cp a b
    cp: cp -r a sub/b
    cp: cp /etc/hosts .
    cp: cp -a a/. b/
    mv: mv a b
    mv: mv "a b" c
    ln: ln -s a b
    ln: ln -s /usr/share/x link
    mkdir: mkdir -p a/b
    mkdir: mkdir /tmp/x
    touch: touch a
    rm: rm a
    rm: rm -rf build
    rmdir: rmdir a
    chmod: chmod +x a.sh
    chmod: chmod 755 a
    chmod: chmod 0644 a
    dd: dd if=a of=b bs=1M count=1
    dd: dd if=/dev/zero of=/dev/null count=1
    truncate: truncate -s 0 a
    tree: tree -L 2
    tree: tree -a -I 'node_modules|.git'
    zip: zip -r a.zip b
    unzip: unzip -l a.zip
    gzip: gzip -d a.gz
    gunzip: gunzip -c a.gz
    zcat: zcat a.gz
    xz: xz -dk a.xz
    gcc: gcc -O2 -Wall -o x x.c
    gcc: gcc --version
    gcc: gcc -c x.c -o x.o
    gcc: gcc -std=c11 -Iinclude -DFOO=1 x.c -lm
    g++: g++ -std=c++20 x.cc
    javac: javac X.java
    javac: javac --version
    java: java -version
    java: java --version
    man: man ls
    less: less a
    openssl: openssl version
    openssl: openssl rand -hex 16
    openssl: openssl dgst -sha256 a
    openssl: openssl x509 -in a.pem -noout -text
    gpg: gpg --version
    gpg: gpg --list-keys
    gpg: gpg --verify a.sig a
    ssh: ssh -V
    ssh-keygen: ssh-keygen -lf a.pub
    ip: ip addr
    ip: ip -br a
    ip: ip route show
    ip: ip link
    ss: ss -tlnp
    lsof: lsof -i :80
    kill: kill 123
    kill: kill -9 123
    pgrep: pgrep -f x
    systemctl: systemctl status x
    systemctl: systemctl list-units
    systemctl: systemctl is-active x
    systemctl: systemctl --no-pager status x
    systemctl: systemctl --version
    journalctl: journalctl -u x -n 50
    journalctl: journalctl --no-pager -n 5
    journalctl: journalctl --since today
    dpkg: dpkg -l
    dpkg: dpkg -L x
    dpkg: dpkg -S /etc/x
    dpkg: dpkg -s x
    dpkg: dpkg --status x
    dpkg: dpkg --list
    dpkg: dpkg --version
    dpkg: dpkg --print-architecture
    apt: apt list --installed
    apt-cache: apt-cache policy x
    rsync: rsync -av a/ b/
    rsync: rsync -avz --delete a b
    rsync: rsync -n a b
    split: split -l 10 a part-
    awk: awk -f x.awk a
    awk: awk --version
    /usr/bin/awk: mawk -f x.awk a
    /usr/bin/mawk: awk -f x.awk a
    iconv: iconv -f latin1 -t utf-8 a
    shuf: shuf -n 1 a
    patch: patch --dry-run -p1 -i x.patch
    json_pp: json_pp
    nm: nm a.o
    objdump: objdump -d a.o
    strings: strings a
    ldconfig: ldconfig -p
    getent: getent passwd root
    locale: locale
    tty: tty
    uptime: uptime
    free: free -h
    lscpu: lscpu
    lsblk: lsblk
    nproc: nproc
    printenv: printenv HOME
    who: who
    w: w
    last: last -n 5
    top: top -bn1
    gzip: gzip -k a
    tmux: tmux --help
    yq: yq .a x.yaml
    sqlite3: sqlite3 --version
    psql: psql --version
    psql: psql -V
    vim: vim --version
    gdb: gdb --version
    sed: sed --version
    strace: strace --version
    gcc: gcc -Wno-error -lfoo -I/srv/include/x -L../lib x.c
    gcc: gcc -fno-x -Wno-foo /home/x.c
    split: split -l 100 /var/log/syslog
    split: split -b 1M a part-
    chmod: chmod 644 2024
    test: test a == b
    [: [ a == b ]
    expr: expr a = b
    echo: echo = ==
    echo: echo a =
    echo: echo --x =1
    systemctl: systemctl
    systemctl: systemctl list-timers --all
    timedatectl: timedatectl
    date: date --date 2024-01-01
    pgrep: pgrep node
    pkill: pkill -f x
    // Scripts that only change the text that is printed, or the file itself.
    awk: awk '{print $1}' x
    awk: awk -F: '{print $1}' y
    awk: awk -v x=1 '{print}' y
    mawk: awk 1 x
    sed: sed --expression=p x
    sed: sed -e p x
    sed: sed -i s/a/b/ x
    sed: sed -n p x
    sed: sed -s x y
    sed: sed 1d x
    stdbuf,awk: stdbuf -oL awk '{print}' x
`);
