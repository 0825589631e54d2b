/** Texts for people: suggestions, sentences about values, and what must not be in them. */
export { addressPathProblem } from './address-path.ts'
export { commonText, startOfMessage } from './common-text.ts'
export { exactSize } from './exact-size.ts'
export { claimFileName, fileKey, fileNameProblem, fileTakenText, isPartialName } from './file-name.ts'
export { showInvisible, showInvisibleInJson } from './invisible.ts'
export { hint, nearest, suggest } from './nearest.ts'
export { inOneLine } from './one-line.ts'
export {
  quote,
  type SchemaWords,
  schemaSentence,
  wordsOfJson,
  wordsOfYaml,
  wordsWithoutValues,
} from './schema-sentences.ts'
export { shellWord } from './shell-word.ts'
export { withoutMark } from './without-mark.ts'
