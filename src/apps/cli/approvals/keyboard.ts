/** Reads single keys from the terminal. */
export interface Keyboard {
  /** Calls the listener for each key, including `C-c`, until `stop`. */
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

export function keysIn(text: string): readonly string[] {
  return (text.match(KEY) ?? []).map((key) => NAMES[key] ?? key);
}

/** Undefined if standard input is not a terminal. */
export function terminalKeyboard(): Keyboard | undefined {
  const { stdin } = process;
  if (!stdin.isTTY) return undefined;
  return {
    listen(listener) {
      const onData = (bytes: Buffer): void => {
        for (const key of keysIn(bytes.toString())) listener(key);
      };
      stdin.setRawMode(true);
      stdin.on('data', onData).resume();
      return {
        stop() {
          stdin.off('data', onData).pause();
          stdin.setRawMode(false);
        },
      };
    },
  };
}
