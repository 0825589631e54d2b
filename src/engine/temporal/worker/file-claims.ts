import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RunbookError } from '../../../core/run-error.ts'
import { fileKey } from '../../../core/text/index.ts'
import {
  artifactsFolder,
  type CallArtifacts,
  checkFileName,
  claimsFolder,
  fileIn,
  fileTaken,
} from '../../attempt/index.ts'
import type { FileOrder } from '../messages.ts'

/** A run, and its last resume with changes: earlier claims are set aside. */
export interface ClaimedRun {
  readonly runId: string
  /** The number of the last resume with changes. */
  readonly changes?: number | undefined
}

/** Name of the file that holds the namespace of a run, in the folder of its claims. Scripts that remove files read it. */
const namespaceFile = 'namespace'

/** The claim of a file: it holds the address of the step that has the file. */
export function claimFile(dataDir: string, { runId, changes = 0 }: ClaimedRun, name: string): string {
  const key = createHash('sha256').update(fileKey(name)).digest('hex')
  return join(claimsFolder(dataDir, runId), changes === 0 ? key : `${key}.${changes}`)
}

/** The address of the step that has a file, or had it last; undefined when no claim names it. */
export async function findStepOfFile(
  dataDir: string,
  { runId, changes = 0 }: ClaimedRun,
  name: string,
): Promise<string | undefined> {
  for (let number = changes; number >= 0; number--) {
    const step = await readClaim(claimFile(dataDir, { runId, changes: number }, name))
    if (step !== undefined) return step
  }
  return undefined
}

/**
 * The artifacts of a run as one call sees them, in a directory that all workers share. The first call that creates the
 * claim of a name has the file; workers need no other agreement.
 */
export function openCallArtifacts(
  dataDir: string,
  run: ClaimedRun & { readonly namespace?: string },
  place: string,
): CallArtifacts {
  const folder = artifactsFolder(dataDir, run.runId)
  const claims = claimsFolder(dataDir, run.runId)
  const made: { readonly claim: string; readonly file: string }[] = []
  return {
    folder,
    async fileFor(name) {
      checkFileName(name)
      const claim = claimFile(dataDir, run, name)
      await openClaims(claims, run.namespace)
      const holder = await takeClaim(claim, place)
      if (holder !== place) throw fileTaken(name, holder)
      made.push({ claim, file: join(folder, name) })
      return fileIn(folder, name)
    },
    release() {
      // A call that has ended without a file leaves the name free.
      for (const { claim, file } of made) if (!existsSync(file)) dropClaim(claim, place)
    },
  }
}

/**
 * Gives a file that was set aside to the call that reuses the result of its writer. Returns false when another call has
 * taken it since, and true when there is no such file.
 */
export async function takeFile(
  dataDir: string,
  { runId, changes, file, from, to }: FileOrder,
  namespace?: string,
): Promise<boolean> {
  const claim = claimFile(dataDir, { runId, changes }, file)
  const holder = await findStepOfFile(dataDir, { runId, changes: changes - 1 }, file)
  if (holder !== from) return (await readClaim(claim)) === undefined
  await openClaims(claimsFolder(dataDir, runId), namespace)
  return (await takeClaim(claim, to)) === to
}

async function openClaims(folder: string, namespace = 'default'): Promise<void> {
  try {
    const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined
    if (isNew) await writeFile(join(folder, namespaceFile), namespace, { mode: 0o600 })
  } catch (cause) {
    throw notWritten(folder, cause)
  }
}

function notWritten(folder: string, cause: unknown): RunbookError {
  const message = `cannot write in ${folder}: ${(cause as Error).message}`
  return new RunbookError('FileNotWritten', message, { cause, notSent: true })
}

/** Returns the address that holds the claim: `place`, unless another call was faster. */
async function takeClaim(claim: string, place: string): Promise<string> {
  const draft = `${claim}.${randomUUID()}`
  try {
    await writeFile(draft, place, { flag: 'wx', mode: 0o600 })
    while (true) {
      // The link makes the claim visible with its content: no worker reads half of one.
      const holder = (await linkNew(draft, claim)) ? place : await readClaim(claim)
      if (holder !== undefined) return holder
    }
  } catch (cause) {
    throw notWritten(dirname(claim), cause)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
}

async function linkNew(draft: string, claim: string): Promise<boolean> {
  try {
    await link(draft, claim)
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    throw thrown
  }
}

/** Undefined when the claim was dropped in the meantime. */
async function readClaim(claim: string): Promise<string | undefined> {
  try {
    return await readFile(claim, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** Synchronous: a pending removal would remove the claim of the next attempt. */
function dropClaim(claim: string, place: string): void {
  try {
    if (readFileSync(claim, 'utf8') === place) rmSync(claim, { force: true })
  } catch {
    // A claim that stays reserves the name for its step, and has no other effect.
  }
}

function codeOf(thrown: unknown): string | undefined {
  return (thrown as NodeJS.ErrnoException).code
}
