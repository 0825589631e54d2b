const unicode = {
  succeeded: '✔',
  failed: '✖',
  cancelled: '⊘',
  unknown: '?',
  skipped: '–',
  pending: '·',
  waiting: '◷',
  warning: '!',
  separator: '·',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as readonly string[],
  barDone: '█',
  barOpen: '░',
}

/** The signs of the text views, each one column wide. */
export type Symbols = Readonly<typeof unicode>

const ascii: Symbols = {
  succeeded: '+',
  failed: 'x',
  cancelled: '/',
  unknown: '?',
  skipped: '-',
  pending: '.',
  waiting: '~',
  warning: '!',
  separator: '-',
  spinner: ['|', '/', '-', '\\'],
  barDone: '#',
  barOpen: '-',
}

/** The signs this environment can show: plain ASCII on the Linux console and in a locale that says another encoding. */
export function chooseSymbols(env: Readonly<Record<string, string | undefined>>): Symbols {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8'
  const isUnicode = env['TERM'] !== 'linux' && (/utf-?8/i.test(locale) || /^(C|POSIX)$/.test(locale))
  return isUnicode ? unicode : ascii
}
