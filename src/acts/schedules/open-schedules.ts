import type { ScheduleStore } from '../../engine/index.ts'
import { loadDescriptions } from '../../project/actions/index.ts'
import { chooseDataDir, readConfiguration } from '../../project/configuration/index.ts'
import { connectionScopeOf } from '../../project/connections/index.ts'
import { chooseEngine } from '../../project/engine/index.ts'
import type { EngineFlags, ProjectContext } from '../../project/index.ts'
import { guessName, listOwnRunbooks } from '../../project/runbook-files/index.ts'
import { loadEach } from '../../project/runbooks/index.ts'
import { openEmbeddedScheduleStore, type ScheduleEntry, schedulesOf } from '../../triggers/schedules/index.ts'

/** The schedules of an engine, and those of the runbooks here. */
export interface OpenSchedules {
  readonly book: ScheduleStore
  readonly entries: readonly ScheduleEntry[]
  /** The names of invalid runbooks here, which may have schedules too. */
  readonly notValid: readonly string[]
  readonly dataDir: string
  /** The folder of the project. */
  readonly project: string
}

/** Opens the schedules of the chosen engine, and closes them after the work. */
export async function withSchedules<T>(
  context: ProjectContext,
  flags: EngineFlags,
  work: (schedules: OpenSchedules) => Promise<T>,
): Promise<T> {
  const configuration = await readConfiguration(context.io)
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  const kind = chooseEngine(flags.engine, configuration, context.io)
  const { project } = connectionScopeOf(configuration, undefined, context.io)
  const known = { ...(await loadEntries(context)), dataDir, project }
  const book =
    kind === 'embedded'
      ? openEmbeddedScheduleStore({ dataDir, entries: known.entries })
      : await openOnServer(context, configuration)
  try {
    return await work({ ...known, book })
  } finally {
    await book.close()
  }
}

async function openOnServer(
  { io }: ProjectContext,
  configuration: Awaited<ReturnType<typeof readConfiguration>>,
): Promise<ScheduleStore> {
  const { readTemporalSettings } = await import('../../project/temporal/index.ts')
  const { connectClient } = await import('../../engine/temporal/client/index.ts')
  const { openScheduleStore } = await import('../../engine/temporal/schedules/index.ts')
  const settings = readTemporalSettings(configuration, io)
  return openScheduleStore({ client: await connectClient(settings), taskQueue: settings.taskQueue })
}

/** Loads the schedules of the runbooks here, and warns of invalid runbooks. */
async function loadEntries(context: ProjectContext): Promise<Pick<OpenSchedules, 'entries' | 'notValid'>> {
  const files = (await listOwnRunbooks(context.io)).map(({ file }) => file)
  const { loaded, refused } = await loadEach(files, await loadDescriptions(context.io), context)
  for (const { error } of refused) {
    const details = error.details === undefined ? '' : `${error.details}\n`
    context.io.stderr.write(`${details}${context.errorPaint.yellow('warning:')} ${error.message}\n`)
  }
  return {
    entries: loaded.flatMap(({ plan }) => schedulesOf(plan)),
    notValid: refused.map(({ file }) => guessName(file)),
  }
}
