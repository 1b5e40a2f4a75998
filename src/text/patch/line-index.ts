/**
 * An index of equal lines, so that a run of lines is found from its rarest one. Lines are represented by offsets and hashes;
 * not creating strings is most of the speed.
 */
export interface LineSpans {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly count: number;
}

export class LineIndex {
  private readonly spans: LineSpans;
  private readonly hashes: Int32Array;
  /** Lines whose hashes share a bucket form a chain in ascending order; -1 ends it. */
  private readonly first: Int32Array;
  private readonly next: Int32Array;
  private readonly sizes: Int32Array;
  private readonly mask: number;
  /** Hashes of a few units per line are enough for most texts; where many lines share one, all units are hashed. */
  private hashOf = sampleHash;

  constructor(spans: LineSpans) {
    const { count } = spans;
    let buckets = 16;
    while (buckets < 2 * count) buckets *= 2;
    this.spans = spans;
    this.mask = buckets - 1;
    this.hashes = new Int32Array(count);
    this.next = new Int32Array(count);
    this.first = new Int32Array(buckets);
    this.sizes = new Int32Array(buckets);
    this.fill();
  }

  private fill(): void {
    const { hashes, first, next, sizes, mask, hashOf } = this;
    const { text, starts, ends, count } = this.spans;
    first.fill(-1);
    sizes.fill(0);
    for (let i = count - 1; i >= 0; i--) {
      const hash = hashOf(text, starts[i]!, ends[i]!);
      const bucket = hash & mask;
      hashes[i] = hash;
      next[i] = first[bucket]!;
      first[bucket] = i;
      sizes[bucket]!++;
    }
  }

  /** The starts of the run, ascending, at `from` or later; at most `limit`. */
  find(run: readonly string[], from: number, limit: number): number[] {
    const pick = this.rareLine(run);
    if (pick < 0) return [];
    const hash = this.hashOf(run[pick]!, 0, run[pick]!.length);
    const bucket = hash & this.mask;
    const size = this.sizes[bucket]!;
    // Checking all candidates takes the product of both counts, a scan only their sum.
    const scans = size * run.length > 8 * (this.spans.count + run.length);
    if ((scans || size > CROWDED) && this.hashOf === sampleHash) {
      this.hashOf = wholeHash;
      this.fill();
      return this.find(run, from, limit);
    }
    if (scans) return this.scan(run, from, limit);
    const found: number[] = [];
    for (let at = this.first[bucket]!; at >= 0; at = this.next[at]!) {
      const start = at - pick;
      if (start < from || this.hashes[at] !== hash || !this.matchesAt(run, start)) continue;
      found.push(start);
      if (found.length === limit) break;
    }
    return found;
  }

  /** A line of the run with few occurrences: the longest if it has few, otherwise the rarest; -1 if one does not occur. */
  private rareLine(run: readonly string[]): number {
    let longest = -1;
    for (let i = 0; i < run.length; i++) if (longest < 0 || run[i]!.length > run[longest]!.length) longest = i;
    if (longest < 0 || this.sizeOf(run[longest]!) <= FEW) return longest;
    let rarest = longest;
    let fewest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < run.length; i++) {
      const size = this.sizeOf(run[i]!);
      if (size === 0) return -1;
      if (size >= fewest) continue;
      fewest = size;
      rarest = i;
    }
    return rarest;
  }

  /** An upper bound for the number of equal lines. */
  private sizeOf(line: string): number {
    return this.sizes[this.hashOf(line, 0, line.length) & this.mask]!;
  }

  private matchesAt(run: readonly string[], start: number): boolean {
    if (start + run.length > this.spans.count) return false;
    for (let i = 0; i < run.length; i++) if (!this.equals(run[i]!, start + i)) return false;
    return true;
  }

  private equals(line: string, i: number): boolean {
    const { text, starts, ends } = this.spans;
    const length = ends[i]! - starts[i]!;
    return length === line.length && text.startsWith(line, starts[i]);
  }

  /** Knuth-Morris-Pratt over the hashes of lines. */
  private scan(run: readonly string[], from: number, limit: number): number[] {
    const hashes = run.map((line) => wholeHash(line, 0, line.length));
    const fallback = fallbacks(hashes);
    const found: number[] = [];
    let matched = 0;
    for (let i = from; i < this.spans.count; i++) {
      while (matched > 0 && this.hashes[i] !== hashes[matched]) matched = fallback[matched - 1]!;
      if (this.hashes[i] === hashes[matched]) matched++;
      if (matched < hashes.length) continue;
      const start = i + 1 - hashes.length;
      // Equal hashes almost always mean equal lines, so for many places one line of the run is compared.
      if (found.length < VERIFIED ? this.matchesAt(run, start) : this.equals(run[0]!, start)) found.push(start);
      if (found.length === limit) break;
      matched = fallback[matched - 1]!;
    }
    return found;
  }
}

/** The first matches of a scan are compared completely; a unique match is always one of them. */
const VERIFIED = 16;

/** A line with at most this many occurrences is rare enough to start from. */
const FEW = 4;

/** If more lines share a sample hash, whole lines are hashed. */
const CROWDED = 32;
/** A sample hash uses this many units at the end of a line, and as many spread over the line. */
const SAMPLED = 8;

function sampleHash(text: string, start: number, end: number): number {
  const length = end - start;
  if (length <= 2 * SAMPLED) return wholeHash(text, start, end);
  let hash = length;
  const step = length >> 3;
  for (let i = start, left = SAMPLED; left > 0; left--, i += step)
    hash = (Math.imul(hash, 0x01000193) ^ text.charCodeAt(i)) | 0;
  for (let i = end - SAMPLED; i < end; i++) hash = (Math.imul(hash, 0x01000193) ^ text.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 15);
}

function wholeHash(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 0x01000193) ^ text.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 15);
}

function fallbacks(hashes: readonly number[]): number[] {
  const fallback = [0];
  for (let i = 1, matched = 0; i < hashes.length; i++) {
    while (matched > 0 && hashes[i] !== hashes[matched]) matched = fallback[matched - 1]!;
    if (hashes[i] === hashes[matched]) matched++;
    fallback.push(matched);
  }
  return fallback;
}
