/** Which addresses belong to the public network; all others are this machine's, its neighbours', or nobody's. */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** RFC 6890 and what came after it; cloud metadata (169.254.169.254, 100.100.100.200) stands in these ranges. */
const CLOSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Of IPv6 only this part is given out to the public at all: mapped, local, multicast and metadata addresses are not in it. */
const OPEN_V6 = '2000::/3';
/** Parts of it that carry an IPv4 address inside, or are for tests, documents and overlays. */
const CLOSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const closed = listOf([...CLOSED_V4, ...CLOSED_V6]);
const open = listOf([OPEN_V6]);

/** Whether an address is one of the public network. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  return family === 6 && open.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** Whether an address is one of this machine itself, whose servers trust who comes from there. */
export function isOwn(address: string, interfaces = networkInterfaces()): boolean {
  const own = new BlockList();
  for (const each of Object.values(interfaces).flatMap((list) => list ?? []))
    own.addAddress(each.address, each.family === 'IPv6' ? 'ipv6' : 'ipv4');
  return own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
