import { table } from '../machine.ts';

/** Calls of allowlisted programs that do what their names say. */
export const PLAIN = table(String.raw`
    env ls
    env
    env -u HOME ls -la
    env -i ls
    env -- ls
    nice ls
    nice -n 10 ls
    nice -10 ls
    nohup ls
    timeout 5 ls
    timeout 1.5s ls
    timeout -k 1 -s KILL 5m ls -la
    timeout --signal=TERM 5 ls
    stdbuf -oL -e0 ls
    stdbuf --output=L ls
    nice -n 5 timeout 5 env ls
    python3 x.py
    python3 -u x.py -c 1
    python3 -B -O scripts/x.py --flag=1
    python3 --version
    python3 -V
    node --version
    node -v
    node x.js -e 1
    node --max-old-space-size=4096 x.js
    node --no-warnings dist/x.cjs
    perl x.pl
    perl -w x.pl -e
    perl -v
    ruby x.rb
    ruby --version
    php x.php
    php -l x.php
    lua x.lua
    awk --version
    awk -f x.awk data
    awk -F, -v a=1 -f x.awk data
    sed --version
    gdb --version
    find . -name x.ts -type f
    find . -name '*.ts' -not -path './node_modules/*'
    find . \( -name a -o -name b \) -print
    find . ! -name x
    find / -maxdepth 1 -printf '%p\n'
    rg -n TODO src
    rg -e 'a|b' --glob '*.ts' -tjs
    rg --files
    tar tf a.tar
    tar -tzf a.tgz
    tar --file=a.tar --list
    sort -rn
    sort -k 2,2 -t : x
    sort --reverse --key=2 x
    uniq -c x
    uniq -f 1 x
    xxd -l 16 x
    xxd -s 4 -l 16 x
    shuf -n 1 x
    split -l 10 x
    tree -L 2
    less x
    date +%Y-%m-%d
    date -d yesterday +%s
    date -u
    file -b x
    git status
    git log
    git log --oneline -n 5
    git log --format='%h %s'
    git log --pretty=format:'%h %an' HEAD~3..HEAD
    git -C sub log
    git --no-pager diff --stat
    git diff --text
    git diff HEAD~1 -- src/a.ts
    git show HEAD:README.md
    git show stash@{0}
    git log @{u}..
    git branch -a
    git rev-parse --show-toplevel
    git commit -m 'a message; with $signs'
    git add -A
    git grep -n 'x' -- src
    git config --get user.name
    git config user.name
    git config --list
    git remote -v
    git stash list
    git --version
    git checkout -b x
    git blame -L 1,5 x
    npm --version
    npm ls
    make --version
    docker ps
    docker ps -a
    wget -qO- https://example.org
    wget -q -O - https://example.org
    rsync -av a b
    ssh -V
    jq .name package.json
    jq -r '.a[] | select(.b > 1)' x.json
    cat a b
    ls -la
    ls --color=never
    cp a b
    mkdir -p a/b
    test -f x
    [ -f x ]
    [ a = b ]
    test a != b
    printf %s hello
    printf '%s\n' a b
    echo hi
    cut -d: -f1 /etc/passwd
    head -n 1 /etc/hosts
    wc -l a
    diff -u a b
    du -sh .
    df -h
    ps aux
    uname -a
    whoami
    basename /a/b
    grep -rn TODO src
    grep -e x -f list y
    man ls
    gcc -O2 -o x x.c
    dpkg -l
    openssl version
    stat x
    chmod +x y
    sleep 1
    seq 1 3
    id -u
    gzip -d x.gz
    zip -r a.zip b
    unzip -l a.zip
    ip addr show
    journalctl -n 5
    systemctl status x
    kill -l
  `);
