/** Programs that start the command in their arguments, which is judged itself. */
import { all, type Family, names, reads } from './family.ts';

export const WRAPPERS: Family = {
  title: 'programs that start another',
  read: 'coreutils 9.1, GNU findutils 4.9',
  programs: {
    timeout: reads({
      grammar: 'posix',
      flags: names('-v --verbose --foreground --preserve-status'),
      valued: { ...all('num', '-k --kill-after'), ...all('text', '-s --signal') },
      operands: ['num', 'command'],
      pass: ['timeout 5 ls', 'timeout -k 1 -s KILL 10s cat a.txt'],
      ask: ['timeout 5 sh -c id', 'timeout 5 sort -o b.txt a.txt', 'timeout --sig=KILL 5 ls', 'timeout x ls'],
    }),
    nice: reads({
      grammar: 'posix',
      valued: all('num', '-n --adjustment'),
      operands: ['command'],
      count: true,
      pass: ['nice ls', 'nice -n 10 ls'],
      ask: ['nice sh', 'nice --adj=10 ls', 'nice -x ls'],
    }),
    // With a terminal it writes nohup.out, in the folder or at home.
    nohup: {
      grammar: 'posix',
      class: 'read',
      stdin: 'data',
      operands: ['command'],
      pass: ['nohup ls', 'nohup cat a.txt'],
      ask: ['nohup sh', 'nohup -x ls', 'nohup sort -o b.txt a.txt'],
    },
    // Without `-r` or `-I`, GNU xargs runs its command once also for an empty input.
    xargs: reads({
      grammar: 'posix',
      flags: names('-0 -r -t -x --null --no-run-if-empty --verbose --exit'),
      valued: {
        ...all('num', '-n -L -s --max-args --max-chars'),
        ...all('enum 1 2 3 4 5 6 7 8', '-P --max-procs'),
        '-I': 'text',
        ...all('enum \\n', '-d --delimiter'),
      },
      operands: ['command'],
      pass: [
        'ls | xargs grep word',
        'find . -print0 | xargs -0 wc -l',
        'ls | xargs -P 4 wc -l --',
        'ls | xargs -n 1 basename',
        'ls | grep -v word | sort -u | head -n 5 | xargs -I {} wc -l -- {}',
      ],
      ask: [
        'xargs rm',
        'ls | xargs sh -c id',
        'ls | xargs -d x cat',
        'ls | xargs -I q cat qq/a.txt',
        'ls | xargs -I cat cat a.txt',
        'ls | shuf -e /etc/shadow | xargs cat',
        'ls | tail --bytes=12 | xargs cat',
        'ls | tac -s x | xargs cat',
        'ls | grep -A1 --group-separator=/etc/shadow a | xargs cat',
        'ls | xargs -P 0 cat',
        'ls | xargs --max-procs=99 cat',
        'ls | xargs md5sum',
        'ls -- --check list.txt | xargs md5sum',
        'ls | xargs wc -l',
        'ls | xargs -I {} wc -l {}',
        'ls | xargs sort -o b.txt',
        'xargs -a list.txt cat',
        'xargs --arg-file=list.txt cat',
        'ls | xargs -p cat',
        'ls | xargs -o cat',
        'ls | xargs --max=1 cat',
      ],
    }),
  },
};
