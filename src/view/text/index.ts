/** Texts for people, wherever they are shown. */
export { cut } from './cut.ts'
export { fateWords } from './fate-words.ts'
export { countText, durationText, failedItemsText, sizeText, wholeSecondsText } from './quantity-text.ts'
export { statusWord } from './status-word.ts'
