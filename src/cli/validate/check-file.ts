import { readFile } from 'node:fs/promises'
import { basename, relative, resolve } from 'node:path'
import { type Diagnostic, type DiagnosticCode, type KnownConnections, loadRunbook } from '../../load/index.ts'
import type { KnownActions } from '../../project/actions/index.ts'
import { configurationName, readUntrusted } from '../../project/configuration/index.ts'
import { checkConfiguration } from '../../project/configuration/schema/index.ts'
import { specialFile, staysInside } from '../../project/files/index.ts'
import { readBeside } from '../../project/runbook-files/index.ts'
import { nowhere, type PlacedFinding } from '../../project/runbooks/index.ts'
import type { Io } from '../shared/io.ts'
import type { FileCode, GatheredFile } from './gather-files.ts'

/** A finding about a file that was checked. */
export interface FileFinding extends PlacedFinding {
  readonly code: DiagnosticCode | FileCode
}

/** A file with everything that was found in it. */
export interface CheckedFile {
  readonly file: string
  /** The texts of the runbook and its child runbooks, by the file names in findings. */
  readonly texts: Readonly<Record<string, string>>
  readonly findings: readonly FileFinding[]
  /** Of a runbook that can be run. */
  readonly name?: string
}

/** The finding that another runbook of the same folder has the name: runs are recorded under it. */
export function sameName(file: string, text: string, name: string, other: string): FileFinding {
  const [before = '', written = ''] = /^[\s\S]*?^(?=name:(.*))/m.exec(text) ?? []
  const start = { line: before.split('\n').length, column: 1, offset: before.length }
  const length = 'name:'.length + written.trimEnd().length
  const end = { ...start, column: 1 + length, offset: start.offset + length }
  const message = `${other} is called ${name}, too`
  const hint = 'give each runbook a different name'
  return {
    code: 'SAME_NAME',
    severity: 'error',
    message,
    hint,
    path: 'name',
    range: { start, end },
    file,
  }
}

/** Checks a runbook and its child runbooks; undefined for a file that is not a runbook. */
export function checkFile(
  gathered: GatheredFile,
  { actions, ...known }: KnownActions,
  connections: KnownConnections,
  { workingDirectory }: Io,
): CheckedFile | undefined {
  if ('isOther' in gathered) return undefined
  const { file } = gathered
  if ('text' in gathered) {
    const readRunbook = readBeside(resolve(workingDirectory, file))
    const { plan, diagnostics, texts } = loadRunbook(gathered.text, actions, {
      file,
      readRunbook,
      ...known,
      connections,
    })
    return { file, texts, findings: diagnostics, ...(plan === undefined ? {} : { name: plan.name }) }
  }
  const range = { start: nowhere, end: nowhere }
  return { file, texts: {}, findings: [{ ...gathered.problem, severity: 'error', path: '', range }] }
}

/** The findings about `notify` in the `opsbook.yaml` that runs here use; undefined for none. */
export async function checkNearestConfiguration(io: Io): Promise<CheckedFile | undefined> {
  const { file, invalid } = await readUntrusted(io)
  if (file === undefined || invalid === undefined) return undefined
  return checkedFile(relative(io.workingDirectory, file), invalid.findings)
}

/** Checks a named file that is a configuration, not a runbook; undefined for any other file. */
export async function checkNamedConfiguration(
  file: string,
  { workingDirectory }: Io,
): Promise<CheckedFile | undefined> {
  if (basename(file) !== configurationName) return undefined
  const path = resolve(workingDirectory, file)
  if (specialFile(path) !== undefined || !staysInside(path)) return undefined
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { findings } = await checkConfiguration(text)
  return checkedFile(file, findings)
}

/** The findings without the text of the file, since a line of it may hold a key. */
function checkedFile(file: string, findings: readonly Diagnostic[]): CheckedFile {
  return { file, texts: {}, findings }
}
