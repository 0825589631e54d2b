/** The files of runbooks, by path and by name. Nothing here loads the language. */
export {
  findPath,
  findRunbook,
  isRunbookFile,
  isSameName,
  isTestFile,
  isYaml,
  listOwnRunbooks,
  type NamedRunbook,
  shortPath,
  suggestRunbook,
} from './find-runbook.ts'
export { type FileProblem, readBeside, readRunbookText, readStreamText } from './read-runbook-text.ts'
export { guessName, recordedName } from './recorded-name.ts'
