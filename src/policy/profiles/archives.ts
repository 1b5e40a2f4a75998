/** Programs that list archives. What extracts or creates is not listed. */
import { all, type Family, names, reads } from './family.ts';

export const ARCHIVES: Family = {
  title: 'archives',
  read: 'GNU tar 1.34, Info-ZIP UnZip 6.00',
  programs: {
    // A colon in the name of an archive names another machine, to which tar connects with a program.
    tar: reads({
      bundled: true,
      flags: names(
        '-t -v -z -j -J --list --verbose --gzip --bzip2 --xz --zstd --full-time --numeric-owner --utc --wildcards --no-wildcards',
      ),
      valued: { ...all('archive', '-f --file'), ...all('text', '--exclude') },
      operands: ['text*'],
      requires: names('-t --list'),
      pass: ['tar tzf a.tgz', 'tar -tf a.tar', 'tar -tvf a.tar src', 'tar --list --file=a.tar', 'tar tf -'],
      ask: [
        'tar xf a.tar',
        'tar -xf a.tar',
        'tar cf a.tar src',
        'tar tf a.tar --to-command=id',
        'tar -tf a.tar --checkpoint-action=exec=id --checkpoint=1',
        'tar -tf a.tar -I id',
        'tar --use-compress-program=id -tf a.tar',
        'tar tf host:a.tar',
        'tar -tf host:a.tar --rsh-command=id',
        'tar -tf a.tar -T list.txt',
        'tar -tf a.tar -F id',
        'tar tf a.tar -x',
        'tar tf /root/a.tar',
        'tar --lis -f a.tar',
        'tar tfC a.tar sub',
      ],
    }),
    unzip: reads({
      flags: names('-l -v -p -t -q -qq -C'),
      operands: ['in', 'text*'],
      requires: names('-l -v -p -t'),
      minOperands: 1,
      pass: ['unzip -l a.zip', 'unzip -p a.zip a.txt', 'unzip -tq a.zip'],
      ask: [
        'unzip a.zip',
        'unzip -o a.zip',
        'unzip -l a.zip -d sub',
        'unzip -q a.zip',
        'unzip -l /root/a.zip',
        'unzip -x a.zip',
        'unzip -Z a.zip',
      ],
    }),
  },
};
