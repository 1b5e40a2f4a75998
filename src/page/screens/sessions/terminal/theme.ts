/** The colours of the terminal: dark in both themes of the page, on `--terminal` of tokens.css. */
import type { ITheme } from '@xterm/xterm';

export const TERMINAL_THEME: ITheme = {
  background: '#0c0c0e00',
  foreground: '#d9dae0',
  cursor: '#9db4ff',
  cursorAccent: '#0c0c0e',
  selectionBackground: '#3a4a86',
  black: '#2c2c32',
  red: '#ff8a80',
  green: '#74d39c',
  yellow: '#f0b95e',
  blue: '#8fb0ff',
  magenta: '#d7a1ff',
  cyan: '#6fd3d8',
  white: '#d9dae0',
  brightBlack: '#95959f',
  brightRed: '#ffb1aa',
  brightGreen: '#a2e6bf',
  brightYellow: '#ffd596',
  brightBlue: '#b9cdff',
  brightMagenta: '#e7c6ff',
  brightCyan: '#a4ecef',
  brightWhite: '#ffffff',
};
