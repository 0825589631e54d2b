import stringWidth from 'string-width'

/**
 * Cuts a text to this width, in columns; a text that would be cut to fewer than 4 columns is left out. Unlike
 * cli-truncate, a wide character at the end never exceeds the width.
 */
export function cut(text: string, most: number): string {
  if (stringWidth(text) <= most) return text
  if (most < 4) return ''
  let shown = ''
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(shown + segment) > most - 1) break
    shown += segment
  }
  return `${shown}…`
}

const graphemes = new Intl.Segmenter()
