/** Texts for people, wherever they are shown. */
export { cut } from './cut.ts'
export { countText, durationText, sizeText, wholeSecondsText } from './quantity-text.ts'
