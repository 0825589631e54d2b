/** Texts that people type and read: what is safe to print, times, and the flags that find a run again. */
export { dataDirFlag, locationFlags } from './location-flags.ts'
export { printable, printableLine } from './printable.ts'
export { readMoment, readUntil } from './read-moment.ts'
export { readWord, readWords } from './read-word.ts'
export { typeText, valuesText, widestValues } from './type-text.ts'
