import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isNamedInside, staysInside } from '../../project/files/index.ts'
import { CommandError } from '../../project/index.ts'
import { findRunbook, isYaml } from '../../project/runbook-files/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { readGivenFile } from '../shared/read-given-file.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import { findMarkers, type Marker } from './find-markers.ts'

/** How a page is brought up to date. */
export interface GraphPageOptions {
  /** Only says whether it is. */
  readonly check: boolean
  /** Only the graphs of this runbook. */
  readonly only?: string
  /** The Mermaid text of a runbook, given by its file. */
  draw(file: string): Promise<string>
}

/** Replaces the graphs between the markers of a Markdown file. A file that is up to date is not written. */
export async function updatePage(
  context: CommandContext,
  named: string,
  { check, only, draw }: GraphPageOptions,
): Promise<ExitCode> {
  const path = resolve(context.io.workingDirectory, named)
  if (!staysInside(path)) throw outside(`${printableLine(named)} is no file of this repository`)
  const text = await readGivenFile(named, context.io)
  const markers = await meantMarkers(context, text, { named, path, only })
  const stale: Marker[] = []
  const lines = text.split('\n')
  const end = text.includes('\r\n') ? '\r' : ''
  // From the end, so that earlier places stay.
  for (const marker of markers.toReversed()) {
    const drawn = await at(marker, named, () => draw(marker.file))
    const fresh = ['', '```mermaid', ...drawn.trimEnd().split('\n'), '```', ''].map((line) => line + end)
    const before = lines.slice(marker.line, marker.end - 1)
    if (before.join('\n') === fresh.join('\n')) continue
    stale.unshift(marker)
    lines.splice(marker.line, before.length, ...fresh)
  }
  const shown = printableLine(named)
  if (stale.length === 0) {
    answer(context, `${shown}: ${countText(markers.length, 'graph')} up to date`)
    return exitCodes.succeeded
  }
  if (check) {
    tell(context, [
      ...stale.map(
        ({ line, name }) =>
          `${shown}:${line} ${context.errorPaint.red('stale')} the graph of ${printableLine(name)}`,
      ),
      `  opsbook graph --write ${shown}`,
    ])
    return exitCodes.failed
  }
  await writeFile(path, lines.join('\n')).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError('environment', `${shown} cannot be written: ${cause.code}`, { cause })
  })
  answer(context, `${shown}: ${countText(stale.length, 'graph')} written`)
  return exitCodes.succeeded
}

function outside(what: string): CommandError {
  return new CommandError('usage', `${what}, or a link leads out of it`, {
    hints: ['copy the file into the repository'],
  })
}

type FoundMarker = Marker & { readonly file: string }

/** The markers whose graphs are meant, each with the file of its runbook. Throws if there is none. */
async function meantMarkers(
  { io }: CommandContext,
  text: string,
  { named, path, only }: { readonly named: string; readonly path: string; readonly only: string | undefined },
): Promise<readonly FoundMarker[]> {
  const { markers, problem } = findMarkers(text)
  if (problem) {
    throw new CommandError('usage', `${printableLine(named)}:${problem.line} ${problem.message}`, {
      hints: ['each graph stands between two lines: <!-- opsbook graph NAME --> and <!-- /opsbook graph -->'],
    })
  }
  const found: FoundMarker[] = []
  for (const marker of markers) {
    const isPath = isYaml(marker.name) || marker.name.includes('/')
    const name = isPath ? resolve(dirname(path), marker.name) : marker.name
    const find = async (): Promise<string> => {
      if (isPath && !isNamedInside(name, path)) throw outside(`${marker.name} is not in this repository`)
      return findRunbook(name, io)
    }
    found.push({ ...marker, file: await at(marker, named, find) })
  }
  const wanted = only === undefined ? undefined : await findRunbook(only, io)
  const meant = found.filter(({ file }) => wanted === undefined || file === wanted)
  if (meant.length > 0) return meant
  const of = only === undefined ? '' : ` of ${printableLine(only)}`
  throw new CommandError('usage', `${printableLine(named)} has no place for a graph${of}`, {
    hints: [`add two lines: <!-- opsbook graph ${only ?? 'NAME'} --> and <!-- /opsbook graph -->`],
  })
}

/** Adds to an error which marker it is about. */
async function at<T>({ line }: Marker, named: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const { kind, message, code, hints, details } = error
    throw new CommandError(kind, `${printableLine(named)}:${line} ${message}`, {
      code,
      hints,
      ...(details === undefined ? {} : { details }),
      cause: error,
    })
  }
}
