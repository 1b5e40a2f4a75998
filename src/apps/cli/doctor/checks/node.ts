/** The version of Node: recent enough, and still supported. */
import { type Check, fail, ok, warn } from '../check.ts';

const OLDEST = [20, 19] as const;
/** End of life of each LTS release line. */
const ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
};

export const node: Check = {
  id: 'node',
  run({ node: version, now }) {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
    if (isOld) return fail(`Node ${version} is older than ${OLDEST.join('.')}`, `install Node ${supported(now)}`);
    const end = ENDS[major];
    if (end === undefined && major % 2 === 1)
      return warn(`Node ${version} is not an LTS release`, `install Node ${supported(now)}`);
    if (end !== undefined && now > Date.parse(`${end}T23:59:59Z`))
      return warn(
        `Node ${version} works, but is past its end of life (${end}): it gets no security fixes`,
        `install Node ${supported(now)}`,
      );
    return ok(`Node ${version}${end === undefined ? '' : `, supported until ${end}`}`);
  },
};

function supported(now: number): string {
  const lines = Object.keys(ENDS).filter((line) => now <= Date.parse(`${ENDS[Number(line)]}T23:59:59Z`));
  return lines.length === 0
    ? 'in a supported LTS version'
    : `${lines.slice(0, -1).join(', ')} or ${lines.at(-1)}`.replace(/^ or /u, '');
}
