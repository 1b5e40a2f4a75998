import { table } from '../machine.ts';

/** Options that name a program to run or a file to write. `program: command`. */
export const FLAGS = table(String.raw`
    find: find . -exec id {} +
    find: find . -execdir id \;
    find: find . -ok id \;
    find: find . -okdir id \;
    find: find . -delete
    find: find . -fprint /tmp/x
    find: find . -fprintf /tmp/x %p
    find: find . -fls /tmp/x
    find: find . -fprint0 /tmp/x
    find: find . '-exec' id ';'
    find: find . -ex"ec" id ';'
    fd: fd x -x id
    fdfind: fdfind x --exec id
    fd: fd x -X id
    rg: rg --pre id x
    rg: rg --pre=id x
    rg: rg --hostname-bin id x
    rg: rg -z x
    tar: tar xf a.tar --to-command=id
    tar: tar xf a.tar --to-comm=id
    tar: tar cf x --checkpoint=1 --checkpoint-action=exec=id y
    tar: tar cf x --checkpoint-act exec=id y
    tar: tar -I id -xf a.tar
    tar: tar -xIid -f a.tar
    tar: tar xfI a.tar id
    tar: tar --use-compress-program=id -xf a
    tar: tar --use-compress-prog id -xf a
    tar: tar cf x -F id y
    tar: tar --info-script=id -cf x y
    tar: tar --new-volume-script=id -cf x y
    tar: tar --rsh-command=id -cf h:x y
    tar: tar --rmt-command=id -cf h:x y
    tar: tar cf host:x y
    tar: tar -cf host:x y
    // A13: a colon in front of a slash names a machine, whatever else the name holds.
    tar: tar -cf 'a b:c' x
    tar: tar --file='a b:c' -c x
    tar: tar -c --fil='ü:c' x
    tar: tar -T list -cf x
    tar: tar -Pxf a.tar
    bsdtar: bsdtar --use-compress-program id -xf a
    cpio: cpio -i --rsh-command=id
    sort: sort -o /tmp/x y
    sort: sort -uo /tmp/x y
    sort: sort --outp=/tmp/x y
    sort: sort --compress-program=id y
    sort: sort --compress-prog id y
    sort: sort -T /tmp y
    uniq: uniq a b
    uniq: uniq -c a b
    uniq: uniq -- a b
    xxd: xxd -r a b
    xxd: xxd a b
    shuf: shuf -o x y
    iconv: iconv -o x y
    split: split --filter=id x
    split: split --filt id x
    tree: tree -o x
    man: man -P id ls
    man: man --pager=id ls
    man: man -H id ls
    man: man -Pid ls
    man: man --html=id ls
    less: less +!id x
    less: less -o x y
    less: less -Ox y
    less: less --log-file=x y
    more: more +!id x
    bat: bat --pager=id x
    date: date -s now
    date: date --set=now
    file: file -C -m x
    file: file -z x
    install: install -s --strip-program=id a b
    patch: patch -e x
    patch: patch -o x y
    sdiff: sdiff -o x a b
    sdiff: sdiff --diff-program=id a b
    zip: zip x y -T -TT id
    zip: zip x y --unzip-command id
    rsync: rsync -e id a b
    rsync: rsync -ae id a b
    rsync: rsync --rsh=id a b
    rsync: rsync --rsync-path=id a b
    ssh: ssh -o ProxyCommand=id x
    ssh: ssh -oProxyCommand=id x
    ssh: ssh -vo LocalCommand=id x
    ssh: ssh -F x y
    scp: scp -S id a b:
    scp: scp -o ProxyCommand=id a b:
    sftp: sftp -b x y
    sftp: sftp -S id y
    curl: curl -o x http://y
    curl: curl --expand-output '{{x}}' http://y
    curl: curl --variable x=y http://y
    curl: curl '{file}:///etc/passwd'
    curl: curl 'fi[l]e:///etc/passwd'
    curl: curl --url file:///etc/passwd
    curl: curl gopher://x
    curl: curl 'http://y/{a,b}'
    curl: curl --header 'A: b' file:///etc/passwd
    curl: curl -so x http://y
    curl: curl -O http://y
    curl: curl -K x
    curl: curl --config x
    curl: curl --output=x http://y
    curl: curl --dump-header x http://y
    curl: curl -w '%output{x}' http://y
    wget: wget --use-askpass=id http://x/
    wget: wget --use-ask=id http://x/
    wget: wget -e x=y http://x/
    wget: wget --execute=x http://x/
    wget: wget -O x http://x/
    wget: wget -qO x http://x/
    wget: wget --output-document=x http://x/
    wget: wget -i x
    nc: nc -e id x 1
    nc: nc -lc id
    ncat: ncat --exec id x 1
    ncat: ncat --sh-exec id x 1
    socat: socat - EXEC:id
    socat: socat - 'SYSTEM:id'
    tcpdump: tcpdump -z id -w x
    nmap: nmap --script x y
    ip: ip netns exec x id
    ip: ip -b x
    openssl: openssl req -engine x
    gcc: gcc -wrapper id x.c
    gcc: gcc -fplugin=./x.so x.c
    gcc: gcc -B. x.c
    gcc: gcc @x
    clang: clang -fplugin=x x.c
    nm: nm --plugin x.so y
    dpkg: dpkg -i x.deb
    dpkg: dpkg --install x.deb
    convert: convert '|id' x.png
    convert: convert msl:x y
    git: git -c alias.x='!id' x
    git: git -c core.pager=id log
    git: git -ccore.pager=id log
    git: git --config-env=core.pager=X log
    git: git --exec-path=/tmp log
    git: git -p log
    git: git --paginate log
    git: git --git-dir=/tmp/x log
    git: git x
    git: git grep -O id x
    git: git grep -Oid x
    git: git grep --open-files-in-pager=id x
    git: git grep --open-files=id x
    git: git diff --ext-diff
    git: git diff --output=x
    git: git log --outpu=x
    git: git -C x -c a.b=c log
    git: git rebase -x id HEAD
    git: git rebase --exec=id HEAD
    git: git rebase -i HEAD
    git: git bisect run id
    git: git submodule foreach id
    git: git difftool -x id
    git: git difftool --extcmd=id
    git: git mergetool
    git: git filter-branch x
    gcc: gcc --plugin=x.so a.c
    gcc: gcc -Wp,-fplugin=x.so a.c
    openssl: openssl s_client -ssl_client_engine x
    openssl: openssl genpkey -keygen_engine x
    apt-mark: apt-mark showauto -oDir::Bin::dpkg=x
    apt-config: apt-config dump -c a.conf
    git: git clone -u id x
    git: git clone --upload-pack=id x
    git: git clone -c core.x=y z
    git: git clone --config core.x=y z
    git: git clone --template=x y
    git: git clone 'ext::id' x
    git: git fetch --upload-pack=id
    git: git fetch --upload-pac id
    git: git ls-remote --upload-pack=id x
    git: git ls-remote ext::id
    git: git push --receive-pack=id
    git: git push --exec=id
    git: git archive --remote=x --exec=id HEAD
    git: git archive -o x HEAD
    git: git config alias.x '!id'
    git: git config --global core.pager id
    git: git config --add a.b c
    git: git config -e
    git: git help -w x
    git: git send-email x
    git: git daemon
    git: git credential fill
    git: git show --textconv x
    git: git cat-file --textconv x
    git: git init --template=x
    git-upload-pack: git-upload-pack x
    npm: npm run build
    npm: npm test
    npm: npm install
    npm: npm exec x
    npm: npm ls --prefix=x
    npx: npx x
    yarn: yarn build
    pnpm: pnpm i
    pip: pip install x
    cargo: cargo build
    cargo: cargo run
    go: go run x.go
    go: go generate
    make: make
    make: make -f x
    make: make --eval='x:;id'
    make: make SHELL=id
    cmake: cmake -P x
    mvn: mvn test
    gradle: gradle build
    pytest: pytest
    docker: docker run x
    docker: docker exec x id
    docker: docker -H x ps
    kubectl: kubectl exec x
    kubectl: kubectl get pods --kubeconfig=x
    terraform: terraform apply
    apt-get: apt-get -o x=y update
    printf: printf -v 'a[$(id)]' x
    printf: printf -vx y
    test: test -v 'a[$(id)]'
    [: [ -v 'a[$(id)]' ]
    [: [ -R x ]
    test: test 'a[$(id)]' -eq 1
    pandoc: pandoc --lua-filter=x y
    pandoc: pandoc -o x y
    exiftool: exiftool -if 'system(1)' x
    aria2c: aria2c --on-download-complete=id x
    pidstat: pidstat -e id
    openvpn: openvpn --up id
    cowsay: cowsay -f ./x y
    scrot: scrot -e id
    service: service x start
`);
