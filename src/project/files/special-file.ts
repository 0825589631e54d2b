import { statSync } from 'node:fs'
import { devNull } from 'node:os'
import { fileProblem } from '../../engine/index.ts'

/** What a shell passes for `<(command)`, and stdin: the process has it open already. */
const openAlready = /^\/dev\/stdin$|^\/(dev|proc\/(self|\d+))\/fd\/\d+$/

/** Whether a path names what the process has open already, such as `<(command)`, and no file of its own. */
export function isOpenAlready(path: string): boolean {
  return path === devNull || openAlready.test(path)
}

/**
 * What a path leads to that is neither a file nor a folder. Undefined for everything else, for `/dev/null` and for what
 * is open already, such as `<(command)`. Who opens a pipe that no one writes to waits for ever.
 */
export function specialFile(path: string): string | undefined {
  return isOpenAlready(path) ? undefined : kindOf(path)
}

function kindOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || found.isFile() || found.isDirectory()) return undefined
  if (found.isFIFO()) return 'a named pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}

/** Why a file cannot be read or written, for people: by what the functions here throw, or Node does. */
export function reasonOf(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  return code.startsWith('it is ') ? code : fileProblem(error)
}

/** Throws for what {@link specialFile} names, as reading a folder throws. The `code` says what it is. */
export function refuseSpecial(path: string): void {
  refuse(path, specialFile(path))
}

/** The same for a file that is to be written: a file in its place would take `/dev/null` from the whole machine. */
export function refuseToReplaceSpecial(path: string): void {
  refuse(path, kindOf(path))
}

function refuse(path: string, kind: string | undefined): void {
  if (kind !== undefined) throw Object.assign(new Error(`${path} is ${kind}`), { code: `it is ${kind}` })
}
