import { nearest } from '../../core/nearest.ts'
import type { RecordedStatus, RunRecord, RunStanding } from '../../core/record/run-record.ts'
import type { Engine } from '../../engine/engine.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** So many of the newest runs are looked through for one that is named by a part of its id. */
const lookedThrough = 10_000
const named = 3

/** The run that is meant: by its id, by the beginning of it, by its key, or `latest`. */
export function findRun(given: string, engine: Engine): Promise<RunRecord> {
  return find(given, engine, engine.readRun)
}

/** Refuses `latest` where several runs could be meant: the newest may have begun after the person looked. */
export async function refuseVagueLatest(
  given: string,
  engine: Engine,
  status: readonly RecordedStatus[],
): Promise<void> {
  if (given !== 'latest') return
  const runs = await engine.listRuns({ status, limit: lookedThrough })
  if (runs.length < 2) return
  const more = runs.length > named ? [`… and ${runs.length - named} more: opsbook runs`] : []
  throw new CommandError(
    exitCodes.usage,
    `"latest" could be any of ${runs.length} runs that are ${status.join(' or ')}: name the one that is meant`,
    { hints: [...runs.slice(0, named).map(({ run_id, runbook }) => `${run_id}  ${runbook}`), ...more] },
  )
}

/** The same, for whoever needs to know no more than where it stands. */
export function findStanding(given: string, engine: Engine): Promise<RunStanding> {
  return find(given, engine, engine.readStanding)
}

async function find<T>(
  given: string,
  engine: Engine,
  read: (runId: string) => Promise<T | undefined>,
): Promise<T> {
  const found = (await read(given)) ?? (await read(await findId(given, engine)))
  if (found !== undefined) return found
  throw unknownRun(given, [])
}

async function findId(given: string, engine: Engine): Promise<string> {
  const [latest] = await engine.listRuns({ limit: 1 })
  if (given === 'latest' && latest) return latest.run_id
  const ids = (await engine.listRuns({ limit: lookedThrough })).map(({ run_id }) => run_id)
  const begun = given === '' ? [] : ids.filter((id) => id.startsWith(given) || id.startsWith(`run_${given}`))
  const [only, ...others] = begun
  if (only !== undefined && others.length === 0) return only
  const byKey = await engine.findRunByKey(given)
  if (byKey !== undefined) return byKey
  if (only === undefined) throw unknownRun(given, ids)
  const more = begun.length > named ? ' …' : ''
  throw new CommandError(exitCodes.usage, `${begun.length} runs begin with "${given}"`, {
    hints: [begun.slice(0, named).join(', ') + more],
  })
}

function unknownRun(given: string, ids: readonly string[]): CommandError {
  // Ids differ in their last letters, where people mistype them; those of one day are all alike.
  const near = nearest(given, ids)
  const hint = ids.length === 0 ? 'there are no runs yet' : `the newest: ${ids.slice(0, named).join(', ')}`
  return new CommandError(exitCodes.usage, `there is no run "${given}"`, {
    hints: [near === undefined ? hint : `did you mean "${near}"?`, '"opsbook runs" lists them'],
  })
}
