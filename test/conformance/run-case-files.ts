import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { RunCase } from './run-case.ts'

/** The cases of one file in test/cases/run/. */
export interface RunCaseFile {
  readonly file: string
  readonly cases: readonly RunCase[]
  /** Its name ends in `.long.yaml`: with `npm test` its cases run once, on the host of the core alone. */
  readonly isLong: boolean
}

const folder = new URL('../cases/run/', import.meta.url)

/** All cases of what a run means, file by file. */
export const runCaseFiles: readonly RunCaseFile[] = readdirSync(folder).map((file) => ({
  file,
  isLong: file.endsWith('.long.yaml'),
  cases: parse(readFileSync(new URL(file, folder), 'utf8')) as readonly RunCase[],
}))

/** Those of them that start a run. */
export const runCaseFilesWithRun: readonly RunCaseFile[] = runCaseFiles.map(({ cases, ...more }) => ({
  ...more,
  cases: cases.filter(({ expect }) => expect !== undefined),
}))
