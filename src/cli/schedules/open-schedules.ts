import type { ScheduleBook } from '../../engine/schedule-book.ts'
import { openEmbeddedBook } from '../../triggers/schedules/embedded-book.ts'
import { type ScheduleEntry, schedulesOf } from '../../triggers/schedules/schedule-entry.ts'
import type { SchedulesFlags } from '../commands/schedules.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { scopeOf } from '../configuration/run-scope.ts'
import { type CommandContext, tell } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { loadDescriptions } from '../load-actions.ts'
import { guessName } from '../runbook-files/guess-name.ts'
import { listOwnRunbooks } from '../runbook-files/list-runbooks.ts'
import { loadEach } from '../serve/load-runbooks.ts'

/** The schedules of an engine, and those that the runbooks here name. */
export interface OpenSchedules {
  readonly book: ScheduleBook
  readonly entries: readonly ScheduleEntry[]
  /** The names of the runbooks here that are not valid, which may name others. */
  readonly notValid: readonly string[]
  readonly dataDir: string
  /** The folder of the project. */
  readonly project: string
}

/** Opens the schedules of the chosen engine for as long as the work takes. */
export async function withSchedules<T>(
  context: CommandContext,
  flags: SchedulesFlags,
  work: (schedules: OpenSchedules) => Promise<T>,
): Promise<T> {
  const configuration = await readConfiguration(context.io)
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  const kind = chooseEngine(flags.engine, configuration, context.io)
  const { project } = scopeOf(configuration, undefined, context.io)
  const known = { ...(await loadEntries(context)), dataDir, project }
  const book =
    kind === 'embedded'
      ? openEmbeddedBook({ dataDir, entries: known.entries })
      : await openOnServer(context, configuration)
  try {
    return await work({ ...known, book })
  } finally {
    await book.close()
  }
}

async function openOnServer(
  { io }: CommandContext,
  configuration: Awaited<ReturnType<typeof readConfiguration>>,
): Promise<ScheduleBook> {
  const { readTemporalSettings } = await import('../engine/temporal-settings.ts')
  const { connectClient } = await import('../../engine/temporal/connection.ts')
  const { openScheduleBook } = await import('../../engine/temporal/schedules/schedule-book.ts')
  const settings = readTemporalSettings(configuration, io)
  return openScheduleBook({ client: await connectClient(settings), taskQueue: settings.taskQueue })
}

/** What is not valid is told: what is carried out can be looked at all the same. */
async function loadEntries(context: CommandContext): Promise<Pick<OpenSchedules, 'entries' | 'notValid'>> {
  const files = (await listOwnRunbooks(context.io)).map(({ file }) => file)
  const { loaded, refused } = await loadEach(files, await loadDescriptions(context.io), context)
  for (const { error } of refused) {
    if (error.details !== undefined) tell(context, error.details)
    tell(context, `${context.errorPaint.yellow('warning:')} ${error.message}`)
  }
  return {
    entries: loaded.flatMap(({ plan }) => schedulesOf(plan)),
    notValid: await Promise.all(refused.map(({ file }) => guessName(file))),
  }
}
