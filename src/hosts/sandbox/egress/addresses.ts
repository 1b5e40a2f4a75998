/** Tells public addresses from those of this machine, of private networks, and unassigned ones. */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** RFC 6890 and its successors; includes cloud metadata (169.254.169.254, 100.100.100.200). */
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
/** The only public range of IPv6: it contains no mapped, local, multicast or metadata addresses. */
const OPEN_V6 = '2000::/3';
/** Parts of it that embed an IPv4 address, or are for tests, documentation and overlays. */
const CLOSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const closed = listOf([...CLOSED_V4, ...CLOSED_V6]);
const open = listOf([OPEN_V6]);

export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  return family === 6 && open.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** Whether an address belongs to this machine, whose servers may trust local clients. */
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
