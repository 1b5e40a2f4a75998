// Writes a JSONL log shaped like an agent's session: lines of about 720 bytes, nested values, Unicode, ANSI escapes,
// the wanted word in other places, 1 % hits, some of them spelled with escapes or blanks.
// usage: node bench/jsonl/generate.mjs FILE [BYTES]
import { closeSync, openSync, writeSync } from 'node:fs';

const EVENTS = ['message', 'thinking', 'tool_result', 'session_start', 'usage', 'checkpoint', 'error'];
const TOOLS = ['read', 'write', 'edit', 'apply_patch', 'exec', 'process', 'search', 'fetch'];
const WORDS =
  'the agent reads a file then writes the answer to its question in naïve café 日本語 テスト émoji 🙂 path value line of output'.split(
    ' ',
  );

/** A small generator of repeatable numbers. */
function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

/** Lines that are made new; a larger file repeats them. */
const BLOCK_LINES = 50_000;

export function generate(file, wantedBytes, seed = 1) {
  const roll = numbers(seed);
  const words = (count) => Array.from({ length: count }, () => WORDS[roll(WORDS.length)]).join(' ');
  const block = [];
  let blockHits = 0;
  for (let i = 0; i < BLOCK_LINES; i++) {
    const isHit = roll(100) === 0;
    const name = TOOLS[roll(TOOLS.length)];
    const text = words(36 + roll(40));
    const decoy = roll(4) === 0 ? ' tool_call of the tool_call kind' : '';
    const output =
      roll(4) === 0
        ? `\u001b[32m${text}${decoy}\u001b[0m\nexit ${roll(3)}\n`
        : `${text}${decoy}\n${words(6)}\t"quoted"`;
    const record = {
      id: `evt_${i.toString(36).padStart(9, '0')}`,
      ts: 1_700_000_000_000 + i * 37,
      event: isHit ? 'tool_call' : EVENTS[roll(EVENTS.length)],
      session: `s-${roll(5000)}`,
      usage: { in: roll(9000), out: roll(2000), cache: { read: roll(100_000), write: roll(1000) } },
      content: [
        { type: 'text', text: output },
        { type: 'note', args: { path: `/srv/${words(1)}/${roll(999)}.ts`, flags: [true, null, roll(10) / 4] } },
      ],
      name,
      ok: roll(10) > 0,
    };
    let line = JSON.stringify(record);
    if (isHit) {
      blockHits++;
      const spelling = roll(100);
      if (spelling < 2) line = line.replace('"event":"tool_call"', '"event":"tool\\u005fcall"');
      else if (spelling < 6) line = line.replace('"event":"tool_call"', '"event" : "tool_call"');
    }
    block.push(line);
  }
  const bytes = Buffer.from(`${block.join('\n')}\n`);
  const fd = openSync(file, 'w');
  let written = 0;
  let blocks = 0;
  for (; written < wantedBytes; blocks++) {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    written += bytes.length;
  }
  closeSync(fd);
  return { bytes: written, lines: blocks * BLOCK_LINES, hits: blocks * blockHits };
}

if (process.argv[1]?.endsWith('generate.mjs')) {
  const [file, bytes = '1000000000'] = process.argv.slice(2);
  if (file === undefined) {
    process.stderr.write('usage: node bench/jsonl/generate.mjs FILE [BYTES]\n');
    process.exit(2);
  }
  process.stdout.write(`${JSON.stringify(generate(file, Number(bytes)))}\n`);
}
