import { cut } from '../../text/index.ts'
import { lineText } from '../box-words.ts'

/**
 * A text as part of a quoted label: no character of it can end the label, or be read as HTML, Markdown, a formula, a
 * comment or an entity. Everything else is written as it is, so that the source stays readable.
 */
export function escapeLabel(text: string, most: number): string {
  return (
    cut(lineText(text), most)
      .replaceAll(special, (character) => `#${character.codePointAt(0)};`)
      // Markdown joins a word over these; at its edges they are marks.
      .replaceAll(/(?<![\p{L}\p{N}])[_-]|_(?![\p{L}\p{N}])/gu, (character) => `#${character.charCodeAt(0)};`)
      // Mermaid finds these after it has read the entities: a space without width parts them.
      .replaceAll('#92;n', '#92;\u200bn')
      .replaceAll(/#36;(?=#36;)/g, '#36;\u200b')
      // A number with a dot begins a list, a colon with slashes an address, and so does www.
      .replace(/^(\d+)\./, '$1#46;')
      .replaceAll('://', '#58;//')
      .replaceAll(/www\./gi, (found) => `${found.slice(0, 3)}#46;`)
  )
}

/** Of the signs of ASCII all but `! ' ( ) , - . / : = ? _ |`. */
const special = /["-&*+;<>@[-^`{}~]/g
