import type { ScheduleBook } from '../../engine/schedule-book.ts'
import { openEmbeddedBook } from '../../triggers/schedules/embedded-book.ts'
import { type ScheduleEntry, schedulesOf } from '../../triggers/schedules/schedule-entry.ts'
import { CommandError } from '../command-error.ts'
import type { SchedulesFlags } from '../commands/schedules.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { type CommandContext, tell } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { loadDescriptions } from '../load-actions.ts'
import { loadRunbooks } from '../serve/load-runbooks.ts'

/** The schedules of an engine, and those that the runbooks here name. */
export interface OpenSchedules {
  readonly book: ScheduleBook
  readonly entries: readonly ScheduleEntry[]
  /** Some runbook here is not valid: what runbooks name is not known in full. */
  readonly isIncomplete: boolean
  readonly dataDir: string
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
  const entries = await loadEntries(context)
  const known = { entries: entries ?? [], isIncomplete: entries === undefined, dataDir }
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
  const { connectClient } = await import('../../engine/temporal/connection.ts')
  const { openScheduleBook } = await import('../../engine/temporal/schedules/schedule-book.ts')
  const settings = readTemporalSettings(configuration, io)
  return openScheduleBook({ client: await connectClient(settings), taskQueue: settings.taskQueue })
}

/** Undefined where some runbook is not valid, which is told: what is carried out can be looked at all the same. */
async function loadEntries(context: CommandContext): Promise<readonly ScheduleEntry[] | undefined> {
  try {
    const runbooks = await loadRunbooks([], await loadDescriptions(context.io), context)
    return runbooks.flatMap(({ plan }) => schedulesOf(plan))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    if (error.details !== undefined) tell(context, error.details)
    tell(context, `${context.errorPaint.yellow('warning:')} ${error.message}`)
    return undefined
  }
}
