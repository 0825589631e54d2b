import stringWidth from 'string-width'
import { type Font, fontSizes } from './theme.ts'

/** About how wide a text is in pixels, whatever fonts the viewer has: rather too wide than too narrow. */
export function textWidth(text: string, font: Font): number {
  const size = fontSizes[font]
  if (font === 'code') return stringWidth(text) * size * 0.61
  const [wide, widest] = [wideLetters, widestLetters].map((letters) => text.match(letters)?.length ?? 0)
  return (stringWidth(text) * (font === 'name' ? 0.6 : 0.66) + (wide ?? 0) * 0.2 + (widest ?? 0) * 0.5) * size
}

/** Letters that are wider than most, in a font whose letters differ. */
const wideLetters = /[A-LN-VX-Zmw&]/g
const widestLetters = /[MW@%]/g
