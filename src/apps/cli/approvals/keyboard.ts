/** Single keys of a terminal. */
export interface Keyboard {
  /** Calls the listener with each key until it is stopped; `C-c` is a key like others. */
  listen(listener: (key: string) => void): { stop(): void };
}

const NAMES: Readonly<Record<string, string>> = {
  '\u0003': 'C-c',
  '\u001b': 'Escape',
  '\u001b[A': 'Up',
  '\u001b[B': 'Down',
  '\u001bOA': 'Up',
  '\u001bOB': 'Down',
  '\r': 'Enter',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is how terminals send keys
const KEY = /\u001b(?:[[O][0-9;]*[A-Za-z~])?|[^\u001b]/gu;

/** The names of the keys in what a terminal sent at once. */
export function keysIn(text: string): readonly string[] {
  return (text.match(KEY) ?? []).map((key) => NAMES[key] ?? key);
}

/** The keyboard of this process; undefined when its standard input is no terminal. */
export function terminalKeyboard(): Keyboard | undefined {
  const { stdin } = process;
  if (!stdin.isTTY) return undefined;
  return {
    listen(listener) {
      const hear = (bytes: Buffer): void => {
        for (const key of keysIn(bytes.toString())) listener(key);
      };
      stdin.setRawMode(true);
      stdin.on('data', hear).resume();
      return {
        stop() {
          stdin.off('data', hear).pause();
          stdin.setRawMode(false);
        },
      };
    },
  };
}
