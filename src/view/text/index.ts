/** Texts for people, wherever they are shown. */
export { cut } from './cut.ts'
export { countText, durationText, wholeSecondsText } from './quantity-text.ts'
