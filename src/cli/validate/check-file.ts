import { resolve } from 'node:path'
import type { DiagnosticCode } from '../../core/diagnostic.ts'
import { loadRunbook } from '../../load/index.ts'
import type { Io } from '../io.ts'
import type { KnownActions } from '../load-actions.ts'
import { readBeside } from '../runbook-files/read-beside.ts'
import type { Finding } from '../terminal/print-diagnostic.ts'
import type { FileCode } from './file-rules.ts'
import type { GatheredFile } from './gather-files.ts'

/** A finding with its place in the document; one about another runbook that this one runs names its file. */
export interface FileFinding extends Finding {
  readonly code: DiagnosticCode | FileCode
  readonly path: string
  readonly file?: string
}

/** A file with everything that was found in it. */
export interface CheckedFile {
  readonly file: string
  /** By the names that findings carry: of this runbook, and of those it runs. */
  readonly texts: Readonly<Record<string, string>>
  readonly findings: readonly FileFinding[]
}

const nowhere = { line: 1, column: 1, offset: 0 }

/** Checks a file, and the runbooks it runs; undefined for one that is no runbook. */
export function checkFile(
  gathered: GatheredFile,
  { actions, notLoaded }: KnownActions,
  { workingDirectory }: Io,
): CheckedFile | undefined {
  if ('isOther' in gathered) return undefined
  const { file } = gathered
  if ('text' in gathered) {
    const readRunbook = readBeside(resolve(workingDirectory, file))
    const { diagnostics, texts } = loadRunbook(gathered.text, actions, { file, readRunbook, notLoaded })
    return { file, texts, findings: diagnostics }
  }
  const range = { start: nowhere, end: nowhere }
  return { file, texts: {}, findings: [{ ...gathered.problem, severity: 'error', path: '', range }] }
}
