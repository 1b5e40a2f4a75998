import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../support/folder.ts';
import { until } from '../../../support/patience.ts';
import { pincer } from '../../../support/pincer.ts';
import { desk } from './desk.ts';

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

describe('pincer approvals watch --notify', () => {
  it('runs the command for each new request, with the number that waits and the id of the newest', async () => {
    const seen = join(makeFolder(), 'seen');
    const place = await desk({ keyboard: true });
    const first = place.ask({ command: 'first' });
    const running = place.run('watch', '--notify', `echo "$PINCER_PENDING $PINCER_APPROVAL $0 $*" >> '${seen}'`);
    await until(() => textOf(seen) === `1 ${first.id} /bin/sh \n`, 'the first notification');
    const second = place.ask({ command: 'second' });
    await until(() => textOf(seen).endsWith(`2 ${second.id} /bin/sh \n`), 'the second notification');
    place.press('q');
    expect(await running).toMatchObject({ code: 0, err: '' });
    expect(textOf(seen).split('\n')).toHaveLength(3);
  });

  it('runs one at a time, and once for all requests that arrived meanwhile', async () => {
    const folder = makeFolder();
    const [seen, go] = [join(folder, 'seen'), join(folder, 'go')];
    const place = await desk({ keyboard: true });
    place.ask({ command: 'first' });
    const command = `echo "$PINCER_PENDING $PINCER_APPROVAL" >> '${seen}'; until [ -e '${go}' ]; do sleep 0.02; done`;
    const running = place.run('watch', '--notify', command);
    await until(() => textOf(seen) !== '', 'the first notification');
    place.ask({ command: 'second' });
    await place.sees('2 pending');
    place.clock.time += 1000;
    const third = place.ask({ command: 'third' });
    await place.sees('3 pending');
    expect(textOf(seen).split('\n')).toHaveLength(2);
    writeFileSync(go, '');
    await until(() => textOf(seen).endsWith(`3 ${third.id}\n`), 'the last notification');
    expect(textOf(seen).split('\n')).toHaveLength(3);
    place.press('q');
    expect((await running).code).toBe(0);
  });

  it('shows a failure, and continues', async () => {
    const place = await desk({ keyboard: true });
    place.ask({ command: 'first' });
    const running = place.run('watch', '--notify', 'echo "no server\u0007" >&2; exit 3');
    await place.sees('the command of --notify failed with exit status 3: no server\\u0007');
    place.ask({ command: 'second' });
    await place.sees('2 pending');
    place.press('q');
    expect((await running).code).toBe(0);
  });

  it('passes no text of an agent to the command', async () => {
    const folder = makeFolder();
    const place = await desk({ keyboard: true });
    place.ask({ command: 'marker-of-the-agent $(touch pwned)' });
    const report = "tr '\\0' '\\n' < /proc/$$/cmdline; env";
    const running = place.run('watch', '--notify', `{ ${report}; } > '${folder}/all'; echo done > '${folder}/done'`);
    await until(() => textOf(join(folder, 'done')) !== '', 'the notification');
    expect(textOf(join(folder, 'all'))).toContain('PINCER_PENDING=1');
    expect(textOf(join(folder, 'all'))).not.toContain('marker-of-the-agent');
    place.press('q');
    await running;
  });

  it('is refused inside a session, and without a command', async () => {
    const place = await desk();
    expect(await place.run('watch', '--notify', ' ')).toMatchObject({ code: 2 });
    const inside = { env: { PINCER_SESSION: 'brisk-otter' } };
    const refused = pincer(makeFolder(), ['approvals', 'watch', '--notify', 'true'], inside);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('APPROVAL_FROM_SESSION') });
  });
});
