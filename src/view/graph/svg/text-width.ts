import stringWidth from 'string-width'
import { type Font, fontSizes } from './theme.ts'

/** About how wide a text is in pixels, whatever fonts the viewer has: rather too wide than too narrow. */
export function textWidth(text: string, font: Font): number {
  const size = fontSizes[font]
  if (font === 'code') return stringWidth(text) * size * 0.61
  const wide = text.match(wideLetters)?.length ?? 0
  return stringWidth(text) * size * (font === 'name' ? 0.53 : 0.58) + wide * size * 0.3
}

/** Letters that are wider than most in a font whose letters differ. */
const wideLetters = /[A-Zmw@%&]/g
