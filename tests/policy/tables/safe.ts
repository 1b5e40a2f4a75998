import { table } from '../machine.ts';

/** Filters that only read their input. */
export const SAFE_FILTERS = table(String.raw`
    cat a | head -5
    cat a | head -n5 | tail -n +2
    cat a | head --lines=5
    cat a | head -c 100
    cat a | head --bytes 10
    cat a | tail -20
    cat a | tail -n -5
    cat a | tail --lines=+3
    cat a | tail -c 10
    cat a | tail -qn1
    cat a | head -qn 1
    cat a | head -n 1 -
    cat a | wc -l -
    cat a | wc
    cat a | wc -lwc
    cat a | wc --lines --words
    cat a | cut -d: -f1
    cat a | cut -d ' ' -f 2-
    cat a | cut -d'|' -f1,3
    cat a | cut -c1-10
    cat a | cut -d/ -f2
    cat a | cut -d / -f 2
    cat a | cut -d '*' -f 2
    cat a | cut --delimiter=, --fields=1
    cat a | cut -d, -f1 --output-delimiter=';'
    cat a | cut -b 1-3 --complement
    cat a | cut -sf1
    cat a | uniq -c
    cat a | uniq -cd
    cat a | uniq -f 1 -i
    cat a | uniq --count --repeated
    cat a | uniq -w 5 -s 2
    cat a | uniq --skip-fields=1
    cat a | uniq --group=append
    cat a | uniq --all-repeated=prepend
    cat a | tr -d '"'
    cat a | tr / _
    cat a | tr ' ' '\n'
    cat a | tr -s ' '
    cat a | tr -cd '[:alnum:]'
    cat a | tr -c 'a-z' '*'
    cat a | tr --delete '\r'
    cat a | tr -d -- -
    cat a | tr 'a-zA-Z' 'n-za-mN-ZA-M'
    cat a | tr '\0' '\n'
    cat a | tr , '\t'
    cat a | tr . _
    cat a | tr '~' x
    cat a | sort
    cat a | sort -u
    cat a | sort -rn | uniq -c | sort -k1,1nr
    cat a | sort -t: -k3 -n
    cat a | sort -t / -k 2
    cat a | sort --key=2 --reverse
    cat a | sort --field-separator=, --key 2
    cat a | sort -h -r
    cat a | sort -V
    cat a | sort -nrk2
    cat a | sort --parallel=2 -S 1M
    cat a | sort --unique -
    cat a | sort -c
    cat a | sort --check=quiet
    cat a | grep -e foo
    cat a | grep -i -e foo -n
    cat a | grep -ve '^#'
    cat a | grep -E -e 'a|b'
    cat a | grep -c -e x
    cat a | grep --regexp=foo --count
    cat a | grep -A2 -B 2 -e x
    cat a | grep -C3 -e x
    cat a | grep --color=never -e x
    cat a | grep -m 1 -e x
    cat a | grep -oP -e '\d+'
    cat a | grep -q -e /etc/passwd
    cat a | grep -Fxe 'a.b*c'
    head -n 1
    /usr/bin/head -n 1
    /bin/tail -n 1
    wc -l
    tr a b
    uniq
    head -n 5 | tail -n 1
    seq 1 100 | head -n 50 | tail -n 10 | wc -l
    find . -type f | head -20
    ls | head -n 3 | wc -l
    ls -1 | wc -l
    ps aux | head -5 | cut -c1-80
    ls | tail -n+2
    ls | head -c 1K
    ls | head -c 5MB
    ls | head -n -2
    ls | cut -f 2-,5 -d ' '
    ls | cut -c -10
    ls | cut -c-10
    ls | cut -d= -f2
    ls | sort -k2.3,2.5n
    ls | sort -S 50%
    ls | sort --sort=human-numeric
    ls | sort -k 1,1 -k 2,2nr -t $
    ls | grep --binary-files=text -e x
    ls | grep -e -x
    ls | grep -e '\.ts$'
`);
