import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RunbookError } from '../../../core/run-error.ts'
import {
  artifactsFolder,
  type CallArtifacts,
  checkFileName,
  claimsFolder,
  fileIn,
  fileKey,
  fileTaken,
} from '../../attempt/artifact-files.ts'
import type { FileOrder } from '../messages.ts'

/** A run, and what has changed it last: claims from before that are set aside. */
export interface ClaimedRun {
  readonly runId: string
  /** The number of the resume that has changed the run last. */
  readonly amendment?: number | undefined
}

/** Name of the file that says, beside the claims of a run, in which namespace the run is. */
export const namespaceFile = 'namespace'

/** The claim of a file: it holds the place that has the file. */
export function claimFile(dataDir: string, { runId, amendment = 0 }: ClaimedRun, name: string): string {
  const key = createHash('sha256').update(fileKey(name)).digest('hex')
  return join(claimsFolder(dataDir, runId), amendment === 0 ? key : `${key}.${amendment}`)
}

/** The place that has a file, or had it last; undefined where nobody knows. */
export async function findHolder(
  dataDir: string,
  { runId, amendment = 0 }: ClaimedRun,
  name: string,
): Promise<string | undefined> {
  for (let number = amendment; number >= 0; number--) {
    const holder = await readClaim(claimFile(dataDir, { runId, amendment: number }, name))
    if (holder !== undefined) return holder
  }
  return undefined
}

/**
 * The artifacts of a run as one call sees them, in a directory that all workers share. Whoever first creates the claim
 * of a name has the file: no two workers need to know of each other.
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
 * Gives a file that was set aside to a call that takes over what its writer did. False where another call has taken it
 * since; true also where there is no such file.
 */
export async function takeFile(
  dataDir: string,
  { runId, amendment, file, from, to }: FileOrder,
  namespace?: string,
): Promise<boolean> {
  const claim = claimFile(dataDir, { runId, amendment }, file)
  const holder = await findHolder(dataDir, { runId, amendment: amendment - 1 }, file)
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

/** Answers with the place that holds the claim: the one that asks, where nobody was faster. */
async function takeClaim(claim: string, place: string): Promise<string> {
  const draft = `${claim}.${randomUUID()}`
  try {
    await writeFile(draft, place, { flag: 'wx', mode: 0o600 })
    while (true) {
      // A claim appears with its place in it: nobody reads half of one.
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

/** Answers with nothing where the claim was given up in the meantime. */
async function readClaim(claim: string): Promise<string | undefined> {
  try {
    return await readFile(claim, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** Done when it returns: a removal under way would take the claim of the next attempt. */
function dropClaim(claim: string, place: string): void {
  try {
    if (readFileSync(claim, 'utf8') === place) rmSync(claim, { force: true })
  } catch {
    // A claim that stays keeps the name for its place, and nothing else.
  }
}

function codeOf(thrown: unknown): string | undefined {
  return (thrown as NodeJS.ErrnoException).code
}
