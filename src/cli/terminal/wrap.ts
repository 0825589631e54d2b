import wrapAnsi from 'wrap-ansi'

/** A text as lines no wider than this many columns of the terminal, broken at spaces where it has any. */
export function wrap(text: string, width: number): readonly string[] {
  return wrapAnsi(text, width, { hard: true }).split('\n')
}
