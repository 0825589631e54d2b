import type { FileProblem } from '../runbook-files/read-runbook-text.ts'

/** What can be wrong with a file before there is a text to look at. */
export type FileCode = FileProblem['code'] | 'FOLDER_WITHOUT_RUNBOOKS'

/** One sentence for each code, as for the codes of diagnostics. */
export const fileRules: Readonly<Record<FileCode, string>> = {
  FILE_NOT_FOUND: 'There is no file of this name.',
  FILE_IS_FOLDER: 'The name is that of a folder.',
  FILE_UNREADABLE: 'The file cannot be read.',
  FOLDER_WITHOUT_RUNBOOKS: 'There is no runbook in the folder.',
}
